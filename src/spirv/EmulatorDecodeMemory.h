// Loads, stores, atomics and barriers.
#pragma once

#include "spirv/EmulatorDecodePointers.h"

#include <optional>
#include <unordered_set>

namespace a2::emulator {

class MemoryDecoder {
public:
    // used: ids that are operands of instructions. All must outlive it.
    MemoryDecoder(const SpirvModule& module, Emitter& out, PointerDecoder& pointers,
                  const std::unordered_set<std::uint32_t>& used)
        : module_(module), out_(out), pointers_(pointers), used_(used)
    {
    }

    // Loads, stores, pointers and atomics; false: it is none of them.
    bool memory(SpirvWords words);
    void barrier(SpirvWords words);

private:
    void move(SpirvWords words);
    void copy(SpirvWords words);
    void arrayLength(SpirvWords words);
    void clock(SpirvWords words);
    // Whether an atomic with this operand leaves its word unchanged, as a compare-and-exchange often does, or replaces
    // it and has a use for what was there.
    bool mayBeEarly(spv::Op opcode, SpirvWords words) const;
    void atomic(SpirvWords words);

    // Whether this value decides where invocations go on.
    bool decides(std::uint32_t id);

    const SpirvModule& module_;
    Emitter& out_;
    PointerDecoder& pointers_;
    const std::unordered_set<std::uint32_t>& used_;
    std::optional<std::unordered_set<std::uint32_t>> deciding_;  // made when needed: few kernels have coherent buffers
};

}  // namespace a2::emulator
