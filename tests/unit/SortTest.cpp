// The sort: a class whose results move when an element changes.

#include "A2Sort.h"
#include "GpuFixture.h"
#include "a2/Solution.h"
#include "judge/InputChanges.h"
#include "judge/ShapeWalk.h"
#include "support/ChangedShaders.h"
#include "support/LettersOf.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace a2 {

namespace {

const std::string rows[] = {"sort/global", "sort/shared", "sort/radix"};

std::vector<std::uint32_t> changedAndSorted(const Input& input, const InputChanges& changes)
{
    std::vector<std::uint32_t> keys(input.values().begin(), input.values().end());
    for (const Change& one : changes.all()) keys[one.index] += one.by;
    std::sort(keys.begin(), keys.end());
    return keys;
}

}  // namespace

TEST(Sort, ExpectsTheElementsInOrder)
{
    const Input input(Pattern::parse("random"), 100'000, 7);
    const Expectation expectation(*taskNamed("sort/global").taskClass, input, {});
    ASSERT_EQ(expectation.resultSize(), input.size());
    std::vector<std::uint32_t> keys(input.values().begin(), input.values().end());
    std::sort(keys.begin(), keys.end());
    EXPECT_TRUE(expectation.matches(0, keys));
    std::swap(keys[500], keys[99'000]);
    EXPECT_FALSE(expectation.matches(0, keys));
}

class ChangesOfSorted : public testing::TestWithParam<std::string> {};

// Equal elements, and elements that become equal to others, are where a shift may go wrong.
TEST_P(ChangesOfSorted, SayWhatTheResultBecomes)
{
    for (const std::uint64_t n : {1U, 2U, 3U, 31U, 32U, 33U, 100U, 5'000U, 200'000U})
        for (std::uint64_t seed = 0; seed < 8; ++seed) {
            const Input input(Pattern::parse(GetParam()), n, seed);
            const Expectation expectation(*taskNamed("sort/radix").taskClass, input, {});
            PoisonWords words(seed);
            const InputChanges changes(expectation, words);
            const std::vector<std::uint32_t> expected = changedAndSorted(input, changes);
            for (std::uint64_t i = 0; i < n; ++i)
                ASSERT_EQ(expectation.result(i) + changes.effectOn(i), expected[i]) << "n = " << n << ", index " << i;
            const Digest before = expectedDigest(expectation), effect = changes.effect();
            const Digest after{before.sum + effect.sum, before.weighted + effect.weighted};
            EXPECT_EQ(after, digestOf(expected)) << "n = " << n;
        }
}

INSTANTIATE_TEST_SUITE_P(, ChangesOfSorted,
                         testing::Values("mod97", "ones", "iota", "random", "onehot:3", "max", "shuffled", "edges"),
                         [](const testing::TestParamInfo<std::string>& one) { return lettersOf(one.param); });

// The scan of the counts has as many invocations as there are tiles: at 64, as many as in the longer run of another
// shape that shows whether sizes follow the shape.
TEST(Sort, ByRadixMayHaveAsManyTilesAsOtherGroupsHaveInvocations)
{
    const auto gpu = openTestGpu();
    const Task row = taskNamed("sort/radix");
    const std::uint64_t n = 64 * row.shape.tile() - 5;
    const TaskOutcome outcome = evaluate(*gpu, row, n);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

TEST(Sort, OfEqualKeysIsRight)
{
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.pattern = Pattern::parse("max");
    settings.workGroup = 256;  // other shapes are always walked on random inputs
    for (const std::string& row : rows) {
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(row), 5000, settings);
        EXPECT_EQ(outcome.status, Status::passed) << row << "\n" << explanation(outcome);
    }
}

// Kernels with one change each, and what is reported about it.
struct WrongSort {
    std::string name, row, kernel, from, to, said;
};

void PrintTo(const WrongSort& wrong, std::ostream* stream) { *stream << wrong.name; }

class SortThatIsWrong : public testing::TestWithParam<WrongSort> {};

TEST_P(SortThatIsWrong, FailsWithItsCause)
{
    const WrongSort& wrong = GetParam();
    const ChangedShaders shaders(wrong.kernel, wrong.from, wrong.to);
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed(wrong.row), 5000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find(wrong.said), std::string::npos) << explanation(outcome);
}

INSTANTIATE_TEST_SUITE_P(
    , SortThatIsWrong,
    testing::Values(
        WrongSort{"LosesAKey", "sort/global", "A2SortGlobal.comp", "keys[at.y] = first;", "keys[at.y] = second;",
                  "belongs at ind"},
        WrongSort{"MakesAKeyUp", "sort/global", "A2SortGlobal.comp", "keys[at.y] = first;", "keys[at.y] = first + 1;",
                  "it was made up, not moved"},
        WrongSort{"SortsDownwards", "sort/global", "A2SortGlobal.comp", "first <= second", "first >= second",
                  "belongs at ind"},
        WrongSort{"ComparesSignedNumbers", "sort/global", "A2SortGlobal.comp", "first <= second",
                  "int(first) <= int(second)", "the array is in order as signed numbers"},
        WrongSort{"GoesBeyondTheEnd", "sort/global", "A2SortGlobal.comp", "if (at.y >= push.count) continue;", "",
                  "out-of-bounds"},
        WrongSort{"LeavesOutTheLastPair", "sort/shared", "A2SortShared.comp", "pair < TILE / 2;",
                  "pair + 1 < TILE / 2;", "index"},
        WrongSort{"DoesNotWaitForAStep", "sort/shared", "A2SortShared.comp", "barrier();  // the next step",
                  "// the next", "shared-race"},
        WrongSort{"DoesNotWaitForTheTile", "sort/shared", "A2SortShared.comp", "barrier();  // every key",
                  "// every key", "shared-race"},
        WrongSort{"NeverEndsItsStrides", "sort/shared", "A2SortShared.comp", "for (; stride > 0; stride /= 2)",
                  "for (; true; stride /= 2)", "endless-loop"},
        WrongSort{"FillsUpWithZeros", "sort/shared", "A2SortShared.comp", ": 0xFFFFFFFF;", ": 0;", "index"},
        WrongSort{"EndsMergesTooEarly", "sort/shared", "A2SortShared.comp", "endMerge(TILE / 2)", "endMerge(TILE / 4)",
                  "belongs at ind"},
        WrongSort{"CountsWithoutAtomics", "sort/radix", "A2SortCount.comp",
                  "atomicAdd(counted[(keys[k] >> push.shift & (DIGITS - 1)) * SORT_COPIES + copy], 1)",
                  "++counted[(keys[k] >> push.shift & (DIGITS - 1)) * SORT_COPIES + copy]", "shared-race"},
        WrongSort{"CountsToAThousand", "sort/radix", "A2SortCount.comp", "counts[digit * push.tiles + tile] = sum;",
                  "counts[digit * push.tiles + tile] = min(sum, 1000);", "index"},
        WrongSort{"CountsTilesThatAreNot", "sort/radix", "A2SortCount.comp", "if (tile >= push.tiles) return;", "",
                  "--dispatch-limit 16x65535"},
        WrongSort{"ScattersTilesThatAreNot", "sort/radix", "A2SortScatter.comp", "if (tile >= push.tiles)",
                  "if (tile > push.tiles)", "--dispatch-limit 16x65535"},
        WrongSort{"ScansInclusively", "sort/radix", "A2SortOffsets.comp",
                  "if (first + i < push.tiles) counts[row + first + i] = before;\n            before += count[i];",
                  "before += count[i];\n            if (first + i < push.tiles) counts[row + first + i] = before;",
                  "index"},
        WrongSort{"LosesTheOrderOfEqualDigits", "sort/radix", "A2SortScatter.comp", "+ k * bitCount(voters) +",
                  "+ (ELEMENTS - 1 - k) * bitCount(voters) +", "index"},
        WrongSort{"DoesNotTakeTurns", "sort/radix", "A2SortScatter.comp", "= turn == first % ROW;", "= true;", "index"},
        WrongSort{"DoesNotWaitForItsRow", "sort/radix", "A2SortScatter.comp", "subgroupBarrier();  // the counters",
                  "// the counters", "shared-race"},
        WrongSort{"WaitsForItsSubgroupAlone", "sort/radix", "A2SortScatter.comp", "barrier();  // the next ones",
                  "subgroupBarrier();  // the next ones", "shared-race"},
        WrongSort{"NeverEndsItsTurns", "sort/radix", "A2SortScatter.comp", "turn < ROW; turn += perTurn",
                  "turn < ROW; turn = perTurn", "endless-loop"},
        WrongSort{"WritesOverTheCounters", "sort/radix", "A2SortScatter.comp", "barrier();  // the counters are",
                  "// the counters are", "shared-race"},
        WrongSort{"DoesNotWaitForTheCounters", "sort/radix", "A2SortScatter.comp", "barrier();  // all counters",
                  "// all counters", "shared-race"},
        WrongSort{"TakesTheNextDigit", "sort/radix", "A2SortScatter.comp", "target[places[digitOf(key)]",
                  "target[places[digitOf(key >> 4)]", "index"}),
    [](const testing::TestParamInfo<WrongSort>& one) { return one.param.name; });

// A missing step would leave the elements in another order, but all of them.
TEST(Sort, ThatLosesElementsBetweenItsStepsIsNoUnfinishedOne)
{
    struct OneStep : Solution {
        OneStep(const Given& given, bool loses) : Solution(given), loses_(loses) {}
        void record(vk::CommandBuffer cb) override
        {
            constexpr auto compute = vk::PipelineStageFlagBits::eComputeShader;
            const SortStepPush push{static_cast<uint>(count), 1, 1};
            const WorkGroups groups = gpu.foldGroups(ceilDiv(count, shape.tile()));
            cb.bindPipeline(vk::PipelineBindPoint::eCompute, step_.pipeline());
            cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, step_.layout(), 0, keys_, {});
            cb.pushConstants<SortStepPush>(step_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
            cb.dispatch(groups.x, groups.y, 1);
            if (!loses_) return;
            cb.pipelineBarrier(compute, vk::PipelineStageFlagBits::eTransfer, {},
                               vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eTransferWrite),
                               {}, {});
            cb.fillBuffer(input.handle(), 0, 4, 0x7FFFFFFF);
        }
        const Buffer& result() const override { return input; }
        bool loses_;
        ComputePipeline step_{gpu, shaders[0], 1, sizeof(SortStepPush), shape};
        vk::DescriptorSet keys_ = step_.makeDescriptorSet({input});
    };
    const auto gpu = openTestGpu();
    for (const bool loses : {true, false}) {
        const Task task = withSolution(taskNamed("sort/global"),
                                       [=](const Given& given) { return std::make_unique<OneStep>(given, loses); });
        const std::string said = explanation(evaluate(*gpu, task, 1000));
        EXPECT_EQ(said.find("after the last dispatch the array has other elements than before: some were lost, or made "
                            "up") != std::string::npos,
                  loses)
            << said;
        EXPECT_EQ(said.find("a dispatch is missing, or one does too little") == std::string::npos, loses) << said;
    }
}

// Two halves of a subgroup of 64 share a row of counters only in work-groups larger than 256.
TEST(Sort, IsWalkedWithWideSubgroupsInLargeWorkGroups)
{
    const ChangedShaders shaders("A2SortScatter.comp", "widthOfSubgroups), 32)", "widthOfSubgroups), 33)");
    const auto gpu = openTestGpu(shaders.path());
    const Task task = taskNamed("sort/radix");
    const auto runs = walkedShapes(*gpu, task, ScanKinds::inclusive);
    const auto wide = std::ranges::find_if(runs, [&](const WalkedRun& one) {
        return one.shape.workGroup == matrixWorkGroups(*gpu).back() && !one.subgroupSizes.empty();
    });
    ASSERT_NE(wide, runs.end());
    const HostWalk walk = walkOnHost(*gpu, task, *wide, 1);
    ASSERT_FALSE(walk.verdict.findings.empty());
    EXPECT_EQ(walk.verdict.findings.front().rule, "subgroup-size");
    EXPECT_TRUE(walk.verdict.findings.front().message.starts_with("with subgroups of 64 invocations, "))
        << walk.verdict.findings.front().message;
}

}  // namespace a2
