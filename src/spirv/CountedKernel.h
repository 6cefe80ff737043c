// A kernel that counts what it does: its own SPIR-V, with counters put in.
#pragma once

#include "spirv/SpirvModule.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace a2 {

// loadShader gives the counted kernel of shaders/NAME.comp under NAME + countedSuffix.
inline const std::string countedSuffix = "+counts";

// What counted kernels have added up in all invocations, as they leave it in their buffer: two words each, the low one
// first.
struct KernelTotals {
    std::uint64_t additions = 0;  // of data: of what came from a storage buffer, also through shared memory
    std::uint64_t reads = 0;      // words loaded from storage buffers; a uvec4 has four
    std::uint64_t writes = 0;     // words stored to them
};
constexpr std::uint64_t totalsWords = 6;
KernelTotals readTotals(std::span<const std::uint32_t> words);

// The module with one more storage buffer, behind the highest binding of set 0, that each invocation adds its counts to
// when main returns; they must be zero before. What it computes is unchanged. Data is followed through variables,
// arithmetic and calls; sums of indices do not count. Atomic operations are not counted.
// Throws KernelError if its ids or bindings are used up.
std::vector<std::uint32_t> countedKernel(const SpirvModule& module);

}  // namespace a2
