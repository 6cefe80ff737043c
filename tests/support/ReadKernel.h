// Everything that the host does with a kernel's SPIR-V, for tests that give it broken ones.
#pragma once

#include "a2/Error.h"
#include "spirv/CountedKernel.h"
#include "spirv/KernelCounts.h"
#include "spirv/KernelFacts.h"

#include <cstdint>
#include <span>

namespace a2 {

// Whether the kernel was taken; false: a KernelError says what is wrong with it. followed: instructions that
// KernelCounts may follow.
inline bool readKernel(std::span<const std::uint32_t> words, std::uint64_t followed)
{
    try {
        const SpirvModule module(words);
        for (const KernelShape& shape : {KernelShape{2, 2}, KernelShape{1, 8, true, 4, 16}}) {
            kernelFacts(module, shape);
            WorkGroupCheck check(module, shape);
            const std::vector<WorkGroupCheck::Word> push = {7U, 2U, {}, 0U};
            check.fault({2, 1, 1}, push);
            std::uint64_t budget = followed;
            const WorkGroupCheck::Groups groups = {3, 2, 1};
            KernelCounts(check, groups, push, budget).ofAll();
            budget = followed;
            KernelCounts(check, groups, push, budget).conflicts(1, 32, 32);
        }
        SpirvModule(countedKernel(module));
        return true;
    } catch (const KernelError&) {
        return false;
    }
}

}  // namespace a2
