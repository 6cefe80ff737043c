// Shared memory is computed from the kernels' SPIR-V for any shape.

#include "A2Kernels.h"
#include "gpu/Shaders.h"
#include "gpu/SpirvInfo.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

std::span<const std::uint32_t> shader(const std::string& name)
{
    for (const BuiltInShader& one : builtInShaders())
        if (one.name == name) return one.spirv;
    ADD_FAILURE() << name;
    return {};
}

std::uint64_t tileScanBytes(std::uint64_t leaves, std::uint64_t elements)
{
    return (CONFLICT_FREE_INDEX(leaves * (elements / 2)) + 1) * sizeof(std::uint32_t);
}

}  // namespace

TEST(SharedMemory, FollowsTheWorkGroupSize)
{
    EXPECT_EQ(sharedMemoryBytes(shader("A2Task1Interleaved"), {256, 2, false}), 0U);
    EXPECT_EQ(sharedMemoryBytes(shader("A2Task1KernelDecomposition"), {256, 2, false}), 1024U);
    EXPECT_EQ(sharedMemoryBytes(shader("A2Task1KernelDecompositionUnroll"), {1000, 16, false}), 4000U);
    EXPECT_EQ(sharedMemoryBytes(shader("A2Task1KernelDecompositionAtomic"), {256, 2, false}), 4U);
}

TEST(SharedMemory, FollowsElementsAndThePaddedTreeOfTheTileScan)
{
    const auto spirv = shader("A2Task2KernelDecomposition");
    EXPECT_EQ(sharedMemoryBytes(spirv, {256, 2, false}), tileScanBytes(512, 2));
    EXPECT_EQ(sharedMemoryBytes(spirv, {256, 8, false}), tileScanBytes(512, 8));
    EXPECT_EQ(sharedMemoryBytes(spirv, {100, 2, false}), tileScanBytes(256, 2));
    EXPECT_EQ(sharedMemoryBytes(spirv, {1, 2, false}), tileScanBytes(2, 2));
    EXPECT_EQ(sharedMemoryBytes(spirv, {1024, 16, true}), tileScanBytes(2048, 16));
}

TEST(SharedMemory, IsUnknownForWhatIsNoModule)
{
    EXPECT_FALSE(sharedMemoryBytes({}, {}));
    const std::vector<std::uint32_t> garbage(100, 0x12345678);
    EXPECT_FALSE(sharedMemoryBytes(garbage, {}));
    const auto whole = shader("A2Task2KernelDecomposition");
    std::vector<std::uint32_t> cut(whole.begin(), whole.begin() + 6);
    cut[5] = 0;  // an instruction of length 0 would never end
    EXPECT_FALSE(sharedMemoryBytes(cut, {}));
    cut[5] = (100U << 16) | 17;  // an instruction longer than the module
    EXPECT_FALSE(sharedMemoryBytes(cut, {}));
}

}  // namespace a2
