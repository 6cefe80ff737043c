// The words of memory that a rehearsal uses, each in a cell of its own.
#pragma once

#include "spirv/EmulatorRehearsalState.h"

#include <map>
#include <utility>

namespace a2::emulator {

class RehearsedWords {
public:
    explicit RehearsedWords(RehearsalState& state) : state_(state) {}

    // The words that a pointer into shared memory or a buffer leads to, number by number; false: not known.
    bool find(const Instruction& one, const Access& access, std::uint32_t count, std::uint32_t atomicBits = 0);
    const std::vector<std::uint32_t>& found() const { return found_; }  // their cells
    bool change() const { return change_; }                             // others may write them

private:
    // The cell that stands for a word of memory.
    std::uint32_t cellOf(const WordName& name, Cell now);

    RehearsalState& state_;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> cellOf_;
    std::vector<std::uint32_t> found_;
    bool change_ = false;
    bool mixed_ = false;  // a word is used both alone and as a part of a number
};

}  // namespace a2::emulator
