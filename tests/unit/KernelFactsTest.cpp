// What is read from the kernels' SPIR-V, for any shape.

#include "A2Task2.h"
#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "spirv/KernelFacts.h"
#include "support/EmulatedGlsl.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace a2 {

namespace {

std::span<const std::uint32_t> shader(const std::string& name)
{
    for (const BuiltInShader& one : builtInShaders())
        if (one.name == name) return one.spirv;
    ADD_FAILURE() << name;
    return {};
}

std::optional<std::uint64_t> sharedBytes(std::span<const std::uint32_t> spirv, const KernelShape& shape)
{
    return kernelFacts(spirv, shape).sharedBytes;
}

// Leaves stay in registers; the tree has one node for each.
std::uint64_t tileScanBytes(std::uint64_t leaves)
{
    return (CONFLICT_FREE_INDEX(leaves - 1) + 1) * sizeof(std::uint32_t);
}

}  // namespace

TEST(SharedMemory, FollowsTheWorkGroupSize)
{
    EXPECT_EQ(sharedBytes(shader("A2Task1Interleaved"), {256, 2, false}), 0U);
    EXPECT_EQ(sharedBytes(shader("A2Task1KernelDecomposition"), {256, 2, false}), 1024U);
    EXPECT_EQ(sharedBytes(shader("A2Task1KernelDecompositionUnroll"), {1000, 16, false}), 4000U);
    EXPECT_EQ(sharedBytes(shader("A2Task1KernelDecompositionAtomic"), {256, 2, false}), 4U);
}

TEST(SharedMemory, FollowsThePaddedTreeOfTheTileScanWhateverTheElements)
{
    const auto spirv = shader("A2Task2KernelDecomposition");
    EXPECT_EQ(sharedBytes(spirv, {256, 2, false}), tileScanBytes(512));
    EXPECT_EQ(sharedBytes(spirv, {256, 8, false}), tileScanBytes(512));
    EXPECT_EQ(sharedBytes(spirv, {100, 2, false}), tileScanBytes(256));
    EXPECT_EQ(sharedBytes(spirv, {1, 2, false}), tileScanBytes(2));
    EXPECT_EQ(sharedBytes(spirv, {1024, 16, true}), tileScanBytes(2048));
}

// It has one word for every 512 invocations: none for 256.
TEST(KernelFacts, KnowAnArrayThatAConstantMakesEmpty)
{
    const std::vector<std::uint32_t> kernel = compileGlsl(R"(
#version 450
layout(local_size_x_id = 0) in;
layout(constant_id = 0) const uint W = 512;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
shared uint kept[W / 512];
void main() { kept[0] = data[gl_LocalInvocationID.x]; data[gl_LocalInvocationID.x] = kept[0]; })");
    EXPECT_EQ(kernelFacts(SpirvModule(kernel), KernelShape{512, 2, false}).empty, std::nullopt);
    EXPECT_EQ(kernelFacts(SpirvModule(kernel), KernelShape{256, 2, false}).empty, "kept");
}

TEST(KernelFacts, KnowWhatIsReadAndWritten)
{
    const auto text = [](const std::string& name) {
        std::string all;
        for (const KernelBinding& one : kernelFacts(shader(name), KernelShape{}).bindings)
            all += std::to_string(one.binding) + " " + one.name + (one.reads ? " reads" : "") +
                   (one.writes ? " writes; " : "; ");
        return all;
    };
    EXPECT_EQ(text("A2Task1Interleaved"), "0 Data reads writes; ");
    EXPECT_EQ(text("A2Task1KernelDecompositionAtomic"), "0 Source reads; 1 Sums writes; ");
    EXPECT_EQ(text("A2Task2KernelDecomposition"), "0 Source reads; 1 Target writes; 2 BlockSums writes; ");
    EXPECT_EQ(text("A2Task2KernelDecompositionOffset"), "0 Data reads writes; 1 Offsets reads; ");
    // Two blocks at one binding are one buffer, under the shorter name.
    EXPECT_EQ(text("A2Task1SubgroupLevels"), "0 Source reads; 1 Sums writes; ");
    EXPECT_EQ(text("A2Task1Subgroup"), "0 Source reads; 1 Sum writes; 2 RunningSum reads writes; ");
    EXPECT_EQ(text("A2Task2DecoupledLookback"), "0 Source reads; 1 Target writes; 2 TileStates reads writes; ");
    EXPECT_EQ(text("A2Task2Persistent"), "0 Source reads; 1 Target writes; 2 TileStates reads writes; ");
}

TEST(KernelFacts, KnowWhatADeviceMustOffer)
{
    const auto text = [](const std::string& name) {
        const KernelFacts facts = kernelFacts(shader(name), KernelShape{});
        std::string all;
        for (const std::string& need : facts.needs) all += need + "; ";
        return all;
    };
    EXPECT_EQ(text("A2Task1Subgroup"), "shaderBufferInt64Atomics; shaderInt64; subgroup arithmetic; ");
    EXPECT_EQ(text("A2Task1SubgroupLevels"), "subgroup arithmetic; ");
    EXPECT_EQ(text("A2Task2DecoupledLookback"), "subgroup arithmetic; subgroup shuffle; ");
    EXPECT_EQ(text("A2Task2Persistent"), "subgroup arithmetic; subgroup shuffle; ");
    EXPECT_EQ(text("A2SortOffsets"), "subgroup arithmetic; ");
    EXPECT_EQ(text("A2SortScatter"), "subgroup arithmetic; subgroup ballot; subgroup vote; ");
    const std::set<std::string> known = {"A2Task1Subgroup",   "A2Task1SubgroupLevels", "A2Task2DecoupledLookback",
                                         "A2Task2Persistent", "A2SortOffsets",         "A2SortScatter"};
    for (const BuiltInShader& one : builtInShaders()) {
        const std::string name = one.name;
        if (known.count(name) > 0) continue;
        EXPECT_EQ(text(name), "") << name << ": the course's rows run everywhere";
    }
}

TEST(KernelFacts, KnowPushConstantsAndTheLocalSize)
{
    const KernelFacts facts = kernelFacts(shader("A2Task2Naive"), KernelShape{96, 2, false});
    ASSERT_EQ(facts.push.size(), 3U);
    EXPECT_EQ(facts.push[0].name, "count");
    EXPECT_EQ(facts.push[2].name, "shift");
    EXPECT_EQ(facts.push[2].offset, 8U);
    EXPECT_EQ(facts.pushBytes, sizeof(NaivePush));
    EXPECT_EQ(facts.localSize, (std::array<std::uint32_t, 3>{96, 1, 1}));
    const KernelFacts lookback = kernelFacts(shader("A2Task2DecoupledLookback"), KernelShape{256, 28, false});
    EXPECT_EQ(lookback.pushBytes, sizeof(LookbackPush));
    EXPECT_EQ(lookback.sharedBytes, (256 + 3) * sizeof(std::uint32_t));
    const KernelFacts persistent = kernelFacts(shader("A2Task2Persistent"), KernelShape{512, 24, false});
    EXPECT_EQ(persistent.pushBytes, sizeof(PersistentPush));
    EXPECT_EQ(persistent.sharedBytes, (2 * 512 + 2) * sizeof(std::uint32_t));
}

TEST(SharedMemory, IsNotAskedOfWhatIsNoModule)
{
    const auto whole = shader("A2Task1KernelDecomposition");
    EXPECT_THROW(sharedBytes({}, {}), KernelError);
    EXPECT_THROW(sharedBytes(whole.first(whole.size() - 1), {}), KernelError);
}

}  // namespace a2
