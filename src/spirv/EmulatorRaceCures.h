// What to do about a race, by the code of its two accesses.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <string>

namespace a2::emulator {

class RaceCures {
public:
    explicit RaceCures(const WalkState& state) : state_(state) {}

    // For one that lacks nothing but order. twice: the buffer is bound at two bindings.
    std::string of(const KernelFinding& found, const Actor& actor, const Use& other, Kept kept, const AccessWays& ways,
                   bool twice) const;

    // Whether an index of this access came from a buffer or from shared memory: then any two invocations may have the
    // same.
    bool isIndexedByData(const Actor& actor) const;

private:
    const Instruction* madeBy(std::uint32_t cell) const;
    bool storesWhole(std::uint32_t at) const;
    bool writesBack(std::uint32_t one, std::uint32_t other) const;
    bool usesBesideAtomic(std::uint32_t one, std::uint32_t other) const;
    bool sameLine(std::uint32_t one, std::uint32_t other) const;
    bool samePlace(const Instruction& one, const Instruction& other, int depth) const;
    bool samePointer(std::uint32_t one, std::uint32_t other, int depth) const;
    bool sameNumber(std::uint32_t one, std::uint32_t other, int depth) const;
    bool countsAlongXOnly(const KernelFinding& found) const;

    const WalkState& state_;
};

}  // namespace a2::emulator
