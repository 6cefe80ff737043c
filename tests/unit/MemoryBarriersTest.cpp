// Kernels for a driver that treats a memory barrier as one that all invocations must reach.

#include "spirv/MemoryBarriers.h"

#include "GpuFixture.h"
#include "spirv/KernelFacts.h"
#include "support/ChangedShaders.h"
#include "support/EmulatedGlsl.h"

namespace a2 {

namespace {

const std::string fencedKernel = R"(#version 450
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) coherent buffer B { uint b[]; };
void main()
{
    const uint i = gl_LocalInvocationID.x;
    b[8 + i] = i;
    memoryBarrierBuffer();
    atomicStore(b[i], 7u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsRelease);
    const uint seen = atomicLoad(b[i], gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    b[16 + i] = atomicCompSwap(b[i], seen, 9u, gl_ScopeDevice, gl_StorageSemanticsBuffer, gl_SemanticsAcquireRelease,
                               gl_StorageSemanticsBuffer, gl_SemanticsAcquire);
    barrier();
    b[24 + i] = b[8 + (i + 1) % 8];
}
)";

std::size_t instructions(std::span<const std::uint32_t> words, spv::Op what)
{
    std::size_t found = 0;
    forEachInstruction(SpirvModule(words), [&](spv::Op opcode, SpirvWords) { found += opcode == what; });
    return found;
}

}  // namespace

TEST(MemoryBarriers, AreLeftOutAndNothingElseIs)
{
    const std::vector<std::uint32_t> words = compileGlsl(fencedKernel),
                                     without = withoutMemoryBarriers(SpirvModule(words));
    EXPECT_GT(instructions(words, spv::OpMemoryBarrier), 0U);
    EXPECT_EQ(instructions(without, spv::OpMemoryBarrier), 0U);
    for (const spv::Op kept :
         {spv::OpControlBarrier, spv::OpAtomicStore, spv::OpAtomicLoad, spv::OpStore, spv::OpAtomicCompareExchange})
        EXPECT_EQ(instructions(without, kept), instructions(words, kept)) << kept;
    // Operands of atomics that are not constants of the original module: the new constant 0.
    std::set<std::uint32_t> semantics;
    forEachInstruction(SpirvModule(without), [&](spv::Op opcode, SpirvWords one) {
        if (opcode == spv::OpAtomicLoad) semantics.insert(one[5]);
        if (opcode == spv::OpAtomicStore) semantics.insert(one[3]);
        if (opcode == spv::OpAtomicCompareExchange) semantics.insert({one[5], one[6]});
    });
    EXPECT_EQ(semantics, std::set<std::uint32_t>{SpirvModule(words).idBound()});
    EXPECT_EQ(kernelFacts(SpirvModule(without), {}).bindings.size(), 1U);
    EXPECT_EQ(withoutMemoryBarriers(SpirvModule(without)).size(), without.size() + 4);
}

// Under Vulkan's memory model, loads and stores contain barriers.
TEST(MemoryBarriers, AreLeftOutOfLoadsAndStoresToo)
{
    const std::vector<std::uint32_t> words = compileGlsl(R"(#version 450
#pragma use_vulkan_memory_model
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) coherent buffer B { uint b[]; };
shared uint s[8];
void main()
{
    s[gl_LocalInvocationID.x] = b[gl_LocalInvocationID.x];
    barrier();
    b[gl_LocalInvocationID.x] = s[7 - gl_LocalInvocationID.x];
}
)");
    const std::vector<std::uint32_t> without = withoutMemoryBarriers(SpirvModule(words));
    const auto makes = [](std::span<const std::uint32_t> module) {
        std::size_t found = 0;
        forEachInstruction(SpirvModule(module), [&](spv::Op opcode, SpirvWords one) {
            const std::size_t at = opcode == spv::OpLoad ? 4 : opcode == spv::OpStore ? 3 : one.size();
            if (at < one.size())
                found += (one[at] &
                          (spv::MemoryAccessMakePointerAvailableMask | spv::MemoryAccessMakePointerVisibleMask)) != 0;
        });
        return found;
    };
    EXPECT_GT(makes(words), 0U);
    EXPECT_EQ(makes(without), 0U);
    for (const spv::Op kept : {spv::OpLoad, spv::OpStore, spv::OpControlBarrier})
        EXPECT_EQ(instructions(without, kept), instructions(words, kept)) << kept;
    EXPECT_EQ(kernelFacts(SpirvModule(without), {}).bindings.size(), 1U);
}

// Invocations of one subgroup go through a loop with a memory barrier, as if they waited for others, and must go on
// after it.
TEST(MemoryBarriers, DoNotEndASubgroupOnTheDevice)
{
    const ChangedShaders shaders(
        "A2Task1KernelDecomposition.comp", "    if (lane == 0 && workGroupHasTile())",
        "    if (lane < 8)\n        for (uint k = 0; k < min(push.count, 40); ++k) memoryBarrierBuffer();\n"
        "    if (lane == 0 && workGroupHasTile())");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/decomposition"), 1000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

// On that driver subgroupBarrier() is a memory barrier, too, and only one subgroup may reach it.
TEST(MemoryBarriers, OfASubgroupAreLeftOut)
{
    const std::vector<std::uint32_t> words = compileGlsl(R"(#version 450
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
void main()
{
    if (gl_SubgroupID == 0) subgroupBarrier();
    barrier();
    b[gl_LocalInvocationID.x] = 1;
}
)");
    EXPECT_EQ(instructions(words, spv::OpControlBarrier), 2U);
    EXPECT_EQ(instructions(withoutMemoryBarriers(SpirvModule(words)), spv::OpControlBarrier), 1U);
}

TEST(MemoryBarriers, OfOneSubgroupDoNotStopTheOthers)
{
    const std::string file = "A2Task1KernelDecomposition.comp", begin = "#version 450",
                      end = "    if (lane == 0 && workGroupHasTile())";
    ChangedShaders shaders(file, begin, begin + "\n#extension GL_KHR_shader_subgroup_basic : require");
    shaders.change(file, end,
                   "    if (gl_SubgroupID == 0)\n        for (uint k = 0; k < min(push.count, 40); ++k) "
                   "subgroupBarrier();\n" +
                       end);
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("reduce/decomposition"), 1000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

}  // namespace a2
