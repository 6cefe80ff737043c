// Everything that the host does with a kernel's SPIR-V, for tests that give it broken ones.
#pragma once

#include "a2/Error.h"
#include "spirv/KernelFacts.h"

#include <cstdint>
#include <span>

namespace a2 {

// Whether the kernel was accepted; false: a KernelError says what is wrong with it.
inline bool readKernel(std::span<const std::uint32_t> words)
{
    try {
        const SpirvModule module(words);
        for (const KernelShape& shape : {KernelShape{2, 2}, KernelShape{1, 8, true, 4, 16}}) {
            kernelFacts(module, shape);
        }
        return true;
    } catch (const KernelError&) {
        return false;
    }
}

}  // namespace a2
