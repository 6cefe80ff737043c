// Sweeps, the obstacles found in them on the host and on the device, and sweep files that are refused.

#include "a2/Error.h"
#include "annexes/obstacles/ObstacleFinder.h"
#include "annexes/obstacles/ScanMethods.h"
#include "support/ChangedShaders.h"
#include "support/temporary.h"

#include "unit/GpuFixture.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>

namespace a2 {

namespace {

constexpr float maxDistance = 9;

// A file that is removed with the object.
struct SweepFile {
    std::filesystem::path path = temporaryPath("a2-sweep");
    explicit SweepFile(const std::string& text) { std::ofstream(path, std::ios::binary) << text; }
    ~SweepFile() { std::filesystem::remove(path); }
};

std::string refusal(const std::string& text)
{
    const SweepFile file(text);
    try {
        readSweep(file.path.string());
    } catch (const UsageError& error) {
        const std::string message = error.what();
        const std::size_t at = message.find(", line ");
        return at == std::string::npos ? message : message.substr(at + 2, message.find(';') - at - 2);
    }
    return "accepted";
}

void expectFound(Device& gpu, const std::vector<float>& distances, const KernelShape& shape = {64, 2})
{
    const ObstacleReference expected = findOnHost(distances, maxDistance);
    const FoundObstacles found = findObstacles(gpu, shape, distances, maxDistance);
    EXPECT_EQ(found.flags, expected.flags);
    EXPECT_EQ(found.readings, expected.readings);
    EXPECT_EQ(found.obstacles, expected.obstacles);
    EXPECT_EQ(linesOf(found.findings), std::vector<std::string>());
}

}  // namespace

TEST(Obstacles, AKernelThatWritesBehindItsFlagsIsFound)
{
    const ChangedShaders folder("A2LabObstacleFlags.comp",
                                "flags[beam] =", "if (beam == 0) flags[push.count] = 7;\n        flags[beam] =");
    const auto gpu = openTestGpu(folder.path());
    const Sweep sweep = patternSweep(1000);
    const FoundObstacles found = findObstacles(*gpu, {64, 2}, sweep.distances, maxDistance);
    EXPECT_EQ(found.obstacles, findOnHost(sweep.distances, maxDistance).obstacles);
    ASSERT_TRUE(anyFails(found.findings));
    EXPECT_EQ(firstThatFails(found.findings)->rule, "out-of-bounds");
}

TEST(Obstacles, OfTheReportsPatternAre128)
{
    const Sweep sweep = patternSweep(1024);
    EXPECT_EQ((std::vector(sweep.distances.begin(), sweep.distances.begin() + 10)),
              (std::vector<float>{3, 9, 9, 9, 9, 9, 9, 9, 3, 9}));
    const ObstacleReference found = findOnHost(sweep.distances, maxDistance);
    EXPECT_EQ(found.count(), 128U);
    EXPECT_EQ(found.obstacles.size(), 128U);
    EXPECT_EQ((std::vector(found.readings.begin(), found.readings.begin() + 12)),
              (std::vector<std::uint32_t>{1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2}));
    EXPECT_EQ((std::vector(found.readings.end() - 12, found.readings.end())),
              (std::vector<std::uint32_t>{127, 127, 127, 127, 128, 128, 128, 128, 128, 128, 128, 128}));
    EXPECT_EQ(found.obstacles.back(), (Obstacle{1016, 1}));
}

TEST(Obstacles, ARunIsOneObstacle)
{
    const std::vector<float> distances = {1, 2, 9, 9, 8.9F, 9, 3, 3, 3};
    const ObstacleReference found = findOnHost(distances, maxDistance);
    EXPECT_EQ(found.count(), 6U);
    EXPECT_EQ(found.obstacles, (std::vector<Obstacle>{{0, 2}, {4, 1}, {6, 3}}));
    EXPECT_TRUE(findOnHost({}, maxDistance).obstacles.empty());
}

TEST(Obstacles, TheDeviceFindsWhatTheHostDoes)
{
    const auto gpu = openTestGpu();
    EXPECT_TRUE(findObstacles(*gpu, {64, 2}, {}, maxDistance).flags.empty());
    for (const std::uint64_t n : {1U, 2U, 3U, 127U, 128U, 129U, 511U, 513U, 1000U, 16385U}) {
        SCOPED_TRACE(n);
        for (std::uint64_t seed = 1; seed <= 6; ++seed)
            expectFound(*gpu, simulatedSweep(n, seed, maxDistance).distances);
        expectFound(*gpu, std::vector<float>(n, 3));            // one obstacle all round
        expectFound(*gpu, std::vector<float>(n, maxDistance));  // none
        expectFound(*gpu, patternSweep(n).distances);
        std::vector<float> alternating(n);  // as many obstacles as there can be
        for (std::uint64_t i = 0; i < n; i += 2) alternating[i] = 0;
        for (std::uint64_t i = 1; i < n; i += 2) alternating[i] = maxDistance;
        expectFound(*gpu, alternating);
    }
    expectFound(*gpu, simulatedSweep(1000003, 7, maxDistance).distances);
    for (const KernelShape& shape : {KernelShape{1, 2}, KernelShape{7, 2}, KernelShape{100, 4}, KernelShape{512, 2}})
        expectFound(*gpu, simulatedSweep(3001, 8, maxDistance).distances, shape);
}

TEST(SimulatedSweep, IsOfItsSeedAndLooksLikeOne)
{
    EXPECT_EQ(simulatedSweep(1024, 5, maxDistance).distances, simulatedSweep(1024, 5, maxDistance).distances);
    EXPECT_NE(simulatedSweep(1024, 5, maxDistance).distances, simulatedSweep(1024, 6, maxDistance).distances);
    std::uint64_t longest = 0, several = 0;
    for (std::uint64_t seed = 0; seed < 50; ++seed) {
        const Sweep sweep = simulatedSweep(2048, seed, 30);
        for (const float one : sweep.distances) ASSERT_TRUE(one >= 0 && one <= 30) << one;
        const ObstacleReference found = findOnHost(sweep.distances, 30);
        several += found.obstacles.size() > 2;
        for (const Obstacle& one : found.obstacles) longest = std::max(longest, one.beams);
        EXPECT_LT(found.count(), 2048U);
    }
    EXPECT_GE(several, 45U);
    EXPECT_GT(longest, 40U);
}

TEST(SweepFile, MayHaveAnyWhiteSpace)
{
    const SweepFile file("3 9.5\t1e1\r\n\n 0\n.5");
    EXPECT_EQ(readSweep(file.path.string()).distances, (std::vector<float>{3, 9.5F, 10, 0, 0.5F}));
}

TEST(SweepFile, IsRefusedWithLineAndColumn)
{
    EXPECT_EQ(refusal("1 2\n3 x4"), "line 2, column 3: 'x4' is not a number");
    EXPECT_EQ(refusal("1 2,3"), "line 1, column 3: '2,3' is not a number");
    EXPECT_EQ(refusal("1\r\n\r\n  -2"), "line 3, column 3: '-2' is below 0, which no distance is");
    EXPECT_EQ(refusal("nan"), "line 1, column 1: 'nan' is not a number");
    EXPECT_EQ(refusal("1 inf"), "line 1, column 3: 'inf' is not a number");
    EXPECT_EQ(refusal("1e999"), "line 1, column 1: '1e999' is beyond what a float can hold");
    EXPECT_EQ(refusal("+1"), "line 1, column 1: '+1' is not a number");
    EXPECT_EQ(refusal(std::string("1 \0", 3)), "line 1, column 3: '?' is not a number");
    EXPECT_NE(refusal(" \n ").find("holds no distances"), std::string::npos);
    EXPECT_NE(refusal("").find("holds no distances"), std::string::npos);
    EXPECT_THROW(readSweep("/nonexistent/sweep"), UsageError);
    EXPECT_THROW(readSweep(std::filesystem::temp_directory_path().string()), UsageError);
}

}  // namespace a2
