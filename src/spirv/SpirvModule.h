// A SPIR-V module that is safe to read: a kernel's author decides about its contents, so nothing in it is trusted.
#pragma once

#include "a2/Error.h"

#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace a2 {

// The largest module that a2 reads. Kernels of a course have a hundredth of these sizes. Limits that are in the SPIR-V
// specification's section 2.17 have the names used there.
namespace spirvLimits {
constexpr std::size_t words = std::size_t{1} << 22;  // 16 MiB
constexpr std::uint32_t idBound = 4'194'303;
constexpr std::size_t structureMembers = 16'383;  // including those of structures inside it
constexpr std::size_t structureNesting = 255;     // of nested arrays and structures
constexpr std::size_t parameters = 255;           // of a function, and of a call
constexpr std::size_t controlFlowNesting = 1'023;
constexpr std::uint32_t binding = 65'535;        // also for sets
constexpr std::uint64_t instructions = 1 << 20;  // with every call replaced by the function's body, as drivers do
}  // namespace spirvLimits

// One instruction, with length and opcode in word 0, or a part of one. No word beyond its end can be read.
class SpirvWords {
public:
    SpirvWords() = default;
    // at: its position in the module, in words, for messages.
    SpirvWords(std::span<const std::uint32_t> words, std::size_t at) : words_(words), at_(at) {}

    // Throws KernelError if there is no such word.
    std::uint32_t operator[](std::size_t i) const
    {
        if (i >= words_.size()) missing(i);
        return words_[i];
    }
    std::size_t size() const { return words_.size(); }
    std::size_t at() const { return at_; }
    const std::uint32_t* begin() const { return words_.data(); }
    const std::uint32_t* end() const { return words_.data() + words_.size(); }
    // The words from `first` on, at most `count`, as far as they exist.
    SpirvWords from(std::size_t first, std::size_t count = std::numeric_limits<std::size_t>::max()) const
    {
        first = std::min(first, words_.size());
        return {words_.subspan(first, std::min(count, words_.size() - first)), at_ + first};
    }
    spv::Op opcode() const { return static_cast<spv::Op>((*this)[0] & spv::OpCodeMask); }

private:
    [[noreturn]] void missing(std::size_t i) const;

    std::span<const std::uint32_t> words_;
    std::size_t at_ = 0;
};

// What an instruction defines; 0: nothing. An id has a type if it is a value, a function, a variable or a constant.
struct SpirvResult {
    std::uint32_t id = 0, type = 0;
};
SpirvResult resultOf(SpirvWords instruction);

[[noreturn]] void refuseId(std::uint32_t id);

// One value for each id of a module.
template <class T>
class SpirvTable {
public:
    explicit SpirvTable(std::size_t idBound = 0) : all_(idBound) {}

    // Both throw KernelError if there is no such id.
    T& operator[](std::uint32_t id) { return all_[checked(id)]; }
    const T& operator[](std::uint32_t id) const { return all_[checked(id)]; }
    std::uint32_t size() const { return static_cast<std::uint32_t>(all_.size()); }

private:
    std::size_t checked(std::uint32_t id) const
    {
        if (id >= all_.size()) refuseId(id);
        return id;
    }

    std::vector<T> all_;
};

struct InvalidSpirvError : KernelError {
    using KernelError::KernelError;
};

class SpirvModule {
public:
    // Throws InvalidSpirvError, which says what is wrong and where, unless all of this holds:
    // - the module is within spirvLimits, and its instructions fill its words;
    // - instructions that a2 reads (SpirvGrammar.h) have all their operands; ids are below the bound, defined once,
    //   before their use where this is required, and of the required kind; texts end inside their instruction;
    // - types have parts that exist, arrays at least one element; structures nest within the limits;
    // - functions are called as declared, none is recursive, branches stay inside their function;
    // - there is one compute shader "main".
    // `words` must outlive this object.
    SpirvModule(std::span<const std::uint32_t> words);  // not explicit: every reader takes checked words

    // The same module with its words copied into `words`, which may live longer.
    SpirvModule copiedTo(std::vector<std::uint32_t>& words) const
    {
        words.assign(words_.begin(), words_.end());
        SpirvModule copy = *this;
        copy.words_ = words;
        return copy;
    }

    std::span<const std::uint32_t> words() const { return words_; }
    std::uint32_t idBound() const { return words_[3]; }  // all ids are smaller

    static constexpr std::size_t headerWords = 5;

private:
    std::span<const std::uint32_t> words_;
};

// Calls visit for every instruction, in order.
void forEachInstruction(const SpirvModule& module, const std::function<void(spv::Op, SpirvWords)>& visit);

}  // namespace a2
