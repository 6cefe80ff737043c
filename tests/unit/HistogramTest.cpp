// The histogram: a class whose results are neither a sum nor a scan.

#include "A2Histogram.h"
#include "GpuFixture.h"
#include "a2/Solution.h"
#include "support/ChangedShaders.h"
#include "support/LettersOf.h"

#include <gtest/gtest.h>

namespace a2 {

namespace {

// Adds one by compare-and-swap.
std::string tryingInto(const std::string& bins, const std::string& goesOn)
{
    const std::string bin = bins + "[source[i] % HISTOGRAM_BINS]";
    return "for (uint tries = 0; " + goesOn + "; ++tries) {\nconst uint old = atomicAdd(" + bin +
           ", 0);\nif (atomicCompSwap(" + bin + ", old, old + 1) == old) break;\n}";
}

// Clears its bins by copying zeros that it has kept since it was made. keepsCounts: also copies the first bin's count,
// for the next run.
struct ClearedByACopy : Solution {
    using Solution::Solution;
    bool keepsCounts = false;
    ComputePipeline kernel{gpu, shaders[0], 2, sizeof(HistogramPush), shape};
    Buffer zeros{gpu, "zeros", HISTOGRAM_BINS, Lifetime::solution};
    Buffer bins{gpu, "bins", HISTOGRAM_BINS};
    vk::DescriptorSet set = kernel.makeDescriptorSet({input, bins});

    void record(vk::CommandBuffer cb) override
    {
        const auto wait = [&] {
            constexpr auto all = vk::PipelineStageFlagBits::eAllCommands;
            constexpr auto reads = vk::AccessFlagBits::eMemoryRead, writes = vk::AccessFlagBits::eMemoryWrite;
            cb.pipelineBarrier(all, all, {}, vk::MemoryBarrier(writes, reads | writes), {}, {});
        };
        cb.copyBuffer(zeros.handle(), bins.handle(), vk::BufferCopy(0, 0, bins.bytes()));
        wait();
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel.layout(), 0, set, {});
        const HistogramPush push{static_cast<uint>(count)};
        cb.pushConstants<HistogramPush>(kernel.layout(), vk::ShaderStageFlagBits::eCompute, 0, push);
        const WorkGroups groups = gpu.foldGroups(ceilDiv(count, shape.tile()));
        cb.dispatch(groups.x, groups.y, 1);
        if (!keepsCounts) return;
        wait();
        cb.copyBuffer(bins.handle(), zeros.handle(), vk::BufferCopy(0, 0, sizeof(std::uint32_t)));
    }
    const Buffer& result() const override { return bins; }
};

TaskOutcome clearedByACopy(bool keepsCounts)
{
    const auto gpu = openTestGpu();
    const Task task = withSolution(taskNamed("histogram/global"), [&](const Given& given) {
        auto made = std::make_unique<ClearedByACopy>(given);
        fillDeviceWithStagingBuffer(given.gpu, made->zeros, std::vector<std::uint32_t>(HISTOGRAM_BINS, 0));
        made->keepsCounts = keepsCounts;
        return made;
    });
    return evaluate(*gpu, task, 1000);
}

}  // namespace

// With n zeros, the first bin has n.
TEST(Histogram, MayKeepZerosToClearItsBinsWith)
{
    const TaskOutcome right = clearedByACopy(false), wrong = clearedByACopy(true);
    EXPECT_EQ(right.status, Status::passed) << explanation(right);
    EXPECT_EQ(wrong.status, Status::failed) << explanation(wrong);
}

TEST(Histogram, CountsEachElementOnce)
{
    const Input input(Pattern::parse("random"), 100'000, 7);
    const Expectation expectation(*taskNamed("histogram/global").taskClass, input, {});
    ASSERT_EQ(expectation.resultSize(), 256U);
    std::vector<std::uint32_t> bins(256);
    for (const std::uint32_t element : input.values()) ++bins[element & 255];
    EXPECT_TRUE(expectation.matches(0, bins));
    for (std::size_t bin = 0; bin < bins.size(); ++bin) EXPECT_EQ(expectation.result(bin), bins[bin]) << bin;
    ++bins[255];
    EXPECT_FALSE(expectation.matches(0, bins));
}

class HistogramOfInputs : public testing::TestWithParam<std::string> {};

TEST_P(HistogramOfInputs, IsRight)
{
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.pattern = Pattern::parse(GetParam());
    settings.workGroup = 256;  // other shapes are always walked on random inputs
    for (const std::string row : {"histogram/global", "histogram/shared", "histogram/replicas"}) {
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(row), 40'000, settings);
        EXPECT_EQ(outcome.status, Status::passed) << row << "\n" << explanation(outcome);
    }
}

INSTANTIATE_TEST_SUITE_P(, HistogramOfInputs,
                         testing::Values("mod97", "ones", "iota", "random", "onehot:3", "max", "shuffled", "edges"),
                         [](const testing::TestParamInfo<std::string>& one) { return lettersOf(one.param); });

// A value that is its own negative, in a kernel that treats numbers as signed.
TEST(Histogram, MeetsTheNumbersAtWhichOtherTypesEnd)
{
    const ChangedShaders shaders("A2HistogramGlobal.comp", "bins[source[i] % HISTOGRAM_BINS]",
                                 "bins[int(source[i]) == -2147483648 ? 1 : source[i] % HISTOGRAM_BINS]");
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("histogram/global"), 5000);
    ASSERT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("-p edges"), std::string::npos) << explanation(outcome);
}

// No work-group counts so many in a short array, or random ones.
TEST(Histogram, CountsManyEqualElements)
{
    const ChangedShaders shaders("A2HistogramShared.comp", "atomicAdd(bins[bin], counted[bin])",
                                 "atomicAdd(bins[bin], min(counted[bin], 10000))");
    const TaskOutcome outcome = evaluate(*openTestGpu(shaders.path()), taskNamed("histogram/shared"), 1 << 20);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("-n 1048576 -p ones"), std::string::npos) << explanation(outcome);
}

TEST(Histogram, MayTryUntilItSucceeds)
{
    const ChangedShaders shaders("A2HistogramGlobal.comp", "atomicAdd(bins[source[i] % HISTOGRAM_BINS], 1);",
                                 tryingInto("bins", "true"));
    const auto gpu = openTestGpu(shaders.path());
    const TaskOutcome outcome = evaluate(*gpu, taskNamed("histogram/global"), 5000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

// Kernels with one change each, and what is reported about it.
struct WrongHistogram {
    std::string name, kernel, from, to, said;
};

class HistogramThatIsWrong : public testing::TestWithParam<WrongHistogram> {};

TEST_P(HistogramThatIsWrong, FailsWithItsCause)
{
    const WrongHistogram& wrong = GetParam();
    const ChangedShaders shaders("A2Histogram" + wrong.kernel + ".comp", wrong.from, wrong.to);
    const auto gpu = openTestGpu(shaders.path());
    std::string row = "histogram/" + wrong.kernel;
    std::transform(row.begin(), row.end(), row.begin(), [](unsigned char c) { return std::tolower(c); });
    const TaskOutcome outcome = evaluate(*gpu, taskNamed(row), 5000);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find(wrong.said), std::string::npos) << explanation(outcome);
}

INSTANTIATE_TEST_SUITE_P(
    , HistogramThatIsWrong,
    testing::Values(
        WrongHistogram{"AddsWithoutAtomics", "Global", "atomicAdd(bins[source[i] % HISTOGRAM_BINS], 1)",
                       "++bins[source[i] % HISTOGRAM_BINS]", "global-race"},
        WrongHistogram{"TakesAnotherDigit", "Global", "source[i] % HISTOGRAM_BINS", "source[i] / 2 % HISTOGRAM_BINS",
                       "bin"},
        WrongHistogram{"LeavesOutTheLastElement", "Global", "i < end; i", "i + 1 < end; i", "bin"},
        WrongHistogram{"CountsInTooManyBins", "Global", "source[i] % HISTOGRAM_BINS", "source[i] % 257", "bin"},
        WrongHistogram{"GivesUpAfterSomeTries", "Global", "atomicAdd(bins[source[i] % HISTOGRAM_BINS], 1);",
                       tryingInto("bins", "tries < 200"), "go on trying until it succeeds"},
        WrongHistogram{"GivesUpInSharedMemory", "Shared", "atomicAdd(counted[source[i] % HISTOGRAM_BINS], 1);",
                       tryingInto("counted", "tries < 200"), "go on trying until it succeeds"},
        WrongHistogram{"DoesNotWaitForZeros", "Shared", "barrier();  // every bin", "// every bin", "shared-race"},
        WrongHistogram{"DoesNotWaitForCounts", "Shared", "barrier();  // all elements", "// all elements",
                       "shared-race"},
        WrongHistogram{"DoesNotClear", "Shared", "bin += gl_WorkGroupSize.x) counted[bin] = 0;",
                       "bin += gl_WorkGroupSize.x) {}", "counted"},
        WrongHistogram{"CountsToForty", "Shared", "atomicAdd(counted[source[i] % HISTOGRAM_BINS], 1);",
                       "{ atomicAdd(counted[source[i] % HISTOGRAM_BINS], 1);\n"
                       "          atomicMin(counted[source[i] % HISTOGRAM_BINS], 40); }",
                       "bin"},
        WrongHistogram{"OverwritesWhatOthersLeft", "Shared", "atomicAdd(bins[bin], counted[bin]);\n    // END",
                       "bins[bin] = counted[bin];\n    // END", "global-race"},
        WrongHistogram{"LosesACopy", "Replicas", "copy < COPIES; ++copy", "copy + 1 < COPIES; ++copy", "bin"},
        WrongHistogram{"ClearsOneCopy", "Replicas", "i < HISTOGRAM_BINS * COPIES; i += gl_WorkGroupSize.x) counted",
                       "i < HISTOGRAM_BINS; i += gl_WorkGroupSize.x) counted", "counted"},
        WrongHistogram{"LeavesOutTheLastVector", "Replicas",
                       "k < ELEMENTS / 4; ++k)\n            [[unroll]] for (uint c",
                       "k + 1 < ELEMENTS / 4; ++k)\n            [[unroll]] for (uint c", "bin"}),
    [](const testing::TestParamInfo<WrongHistogram>& one) { return one.param.name; });

}  // namespace a2
