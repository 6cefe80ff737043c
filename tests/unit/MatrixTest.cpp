// How thoroughly the correctness matrix tests a length.

#include "judge/Matrix.h"

#include "GpuFixture.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

std::vector<std::uint64_t> briefOf(bool onCpu, const std::vector<std::uint64_t>& lengths)
{
    std::vector<std::uint64_t> brief;
    for (const std::uint64_t n : lengths)
        if (isBrief(onCpu, lengths, n)) brief.push_back(n);
    return brief;
}

std::vector<std::uint64_t> powers(unsigned last)
{
    std::vector<std::uint64_t> all;
    for (unsigned power = 0; power <= last; ++power) all.push_back(std::uint64_t{1} << power);
    return all;
}

}  // namespace

TEST(Matrix, ACpuDeviceGoesThroughOneLongLengthAsAWhole)
{
    using Lengths = std::vector<std::uint64_t>;
    EXPECT_EQ(briefOf(true, powers(20)), (Lengths{1 << 17, 1 << 18, 1 << 19}));
    EXPECT_EQ(briefOf(true, powers(23)), (Lengths{1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 22}));
    EXPECT_EQ(briefOf(true, {65537, (1 << 20) - 1, 1 << 20, (1 << 20) + 3, beyondFloats, 1 << 25}),
              (Lengths{65537, (1 << 20) - 1, 1 << 20, beyondFloats}));
    EXPECT_EQ(briefOf(true, powers(17)), Lengths());
    EXPECT_EQ(briefOf(true, {1 << 20}), Lengths()) << "the only one";
    EXPECT_EQ(briefOf(false, powers(23)), Lengths()) << "on a GPU none is";
}

TEST(Matrix, EndsWithTheLengthThatWasAskedFor)
{
    const OpenDevice gpu = openTestGpu();
    EXPECT_EQ(matrixSizes(*gpu, false, 262147).back(), 262147U);
    EXPECT_EQ(matrixSizes(*gpu, false, 262147).end()[-2], 65537U);
    EXPECT_EQ(matrixSizes(*gpu, false, 1025).back(), 1025U);
    EXPECT_EQ(matrixSizes(*gpu, false, 1025).end()[-2], 1024U) << "once";
    EXPECT_EQ(matrixSizes(*gpu, true, 5000).back(), 4096U) << "powers of two";
    EXPECT_EQ(matrixSizes(*gpu, false, 5'000'000).end()[-2], (1U << 22) + 1) << "one more than a power of two";
    EXPECT_EQ(matrixSizes(*gpu, false, (1U << 21) + 1).end()[-2], (1U << 20) + 3) << "once";
    EXPECT_EQ(matrixSizes(*gpu, false, 0), std::vector<std::uint64_t>{0});
}

}  // namespace a2
