// Memory before a run contains nothing that a kernel could know, or that could be a result.

#include "GpuFixture.h"
#include "judge/Poison.h"
#include "spirv/EmulatedBuffer.h"

#include <algorithm>
#include <set>

namespace a2 {

namespace {

std::vector<std::uint32_t> drawn(PoisonWords words, std::size_t count)
{
    std::vector<std::uint32_t> all(count);
    std::generate(all.begin(), all.end(), [&] { return words.next(); });
    return all;
}

}  // namespace

TEST(Poison, IsAnotherWordEachTimeAndForEachObject)
{
    constexpr std::size_t count = 1000;
    std::set<std::uint32_t> words;
    for (const auto& some : {drawn(PoisonWords(), count), drawn(PoisonWords(), count)})
        words.insert(some.begin(), some.end());
    EXPECT_GT(words.size(), 2 * count - 5) << "2000 of 2^32 are equal by chance once in two thousand times";
    EXPECT_EQ(drawn(PoisonWords(3), count), drawn(PoisonWords(3), count)) << "a test may fix them";
    EXPECT_NE(drawn(PoisonWords(3), count), drawn(PoisonWords(4), count));
}

TEST(Poison, IsNoSmallNumber)
{
    for (const std::uint32_t word : drawn(PoisonWords(), 1000000)) {
        EXPECT_GE(word, PoisonWords::margin);
        EXPECT_LE(word, UINT32_MAX - PoisonWords::margin);
    }
}

TEST(Poison, SeedsDifferAndAreShort)
{
    std::set<std::uint32_t> seeds;
    for (int i = 0; i < 100; ++i) seeds.insert(freshSeed());
    EXPECT_GT(seeds.size(), 98U);
}

TEST(Poison, IsAnotherWordInEachRun)
{
    const auto gpu = openTestGpu();
    const Task task = taskNamed("scan/local");
    const Input input(Pattern::parse("random"), 1000, 1);
    const Expectation expectation(*task.taskClass, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    std::set<std::uint32_t> words;
    for (int object = 0; object < 2; ++object) {
        Trial trial(*gpu, task, expectation, onDevice);
        for (int run = 0; run < 5; ++run) {
            EXPECT_TRUE(trial.judgedRun().passed());
            words.insert(trial.poison());
        }
    }
    EXPECT_EQ(words.size(), 10U);
}

// Differences of values that were never written must not cancel out.
TEST(Poison, OfAWalkIsAnotherWordInEachPlaceOfEachBuffer)
{
    std::set<std::uint32_t> words;
    for (const std::uint32_t number : {0U, 1U}) {
        EmulatedBuffer buffer(4000);
        buffer.fill(0, 4000, 7);
        buffer.scatter(number);
        words.insert(buffer.words().begin(), buffer.words().end());
        EXPECT_FALSE(buffer.isSet(0));
    }
    EXPECT_GT(words.size(), 1995U);
}

}  // namespace a2
