// Batches: many runs in one command buffer, each waiting for the one before, and how they are judged.

#include "GpuFixture.h"
#include "judge/Series.h"
#include "support/DriverCalls.h"
#include "support/Prepared.h"

#include <optional>

namespace a2 {

namespace {

constexpr KernelShape smallShape{64, 2, false};

}  // namespace

TEST(Batch, RecordsEachOfItsRuns)
{
    const auto gpu = openTestGpu();
    Prepared prepared(*gpu, taskNamed("reduce/subgroup"), 5000, smallShape);  // one dispatch each
    const DriverCalls calls;
    prepared.trial.timedRun(Timer::gpu, 7);
    EXPECT_EQ(calls.dispatches(), 7U);
    RunTime time;
    prepared.trial.judgedRun(Timer::gpu, &time, 5);
    EXPECT_EQ(calls.dispatches(), 12U);
}

TEST(Batch, TimesAreThoseOfOneRun)
{
    const RunTime time = RunTime{6.0, 12.0}.perRun(3);
    EXPECT_DOUBLE_EQ(*time.gpuMs, 2);
    EXPECT_DOUBLE_EQ(time.hostMs, 4);
    EXPECT_FALSE((RunTime{std::nullopt, 12.0}.perRun(3).gpuMs));
}

TEST(Batch, ASeriesHasAsManySamplesAsRepetitions)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"scan/local", "reduce/interleaved"})  // one keeps its input, one does not
        for (const unsigned batch : {1U, 4U}) {
            Prepared prepared(*gpu, taskNamed(id), 5000, smallShape);
            const SeriesResult series = timeSeries(prepared.trial, ofThree(batch));
            EXPECT_TRUE(series.verdict.passed()) << id;
            EXPECT_EQ(series.ms.count, 3U) << id;
        }
}

TEST(Batch, IsJudgedWhereTheTaskKeepsItsInput)
{
    const auto gpu = openTestGpu();
    Prepared kept(*gpu, taskNamed("scan/local"), 5000, smallShape);  // one dispatch each
    {
        const DriverCalls calls;
        timeSeries(kept.trial, ofThree(4));
        EXPECT_EQ(calls.dispatches(), 3U * 4 + 1) << "three repetitions, and one run for the host's clock";
    }

    // reduce/interleaved sums in place: the second run of a batch has another input, and the judge must notice that.
    Task overwrites = taskNamed("reduce/interleaved");
    overwrites.keepsInput = true;
    Prepared wrong(*gpu, overwrites, 5000, smallShape);
    EXPECT_FALSE(timeSeries(wrong.trial, ofThree(4)).verdict.passed());
}

TEST(Batch, SingleRunsAreJudgedWhereTheInputIsWrittenOver)
{
    const auto gpu = openTestGpu();
    Prepared prepared(*gpu, taskNamed("reduce/interleaved"), 5000, smallShape);
    const std::size_t each = prepared.trial.log().dispatches().size();
    const DriverCalls calls;
    EXPECT_TRUE(timeSeries(prepared.trial, ofThree(4)).verdict.passed());
    EXPECT_EQ(calls.dispatches(), (1U + 3 * 4 + 1 + 1) * each) << "judged, three repetitions, judged, host's clock";
}

// Results on a CPU driver are right even without the barrier, so the layer checks whether a run waits for the one
// before. There are two dispatches: the first one of a run writes what the last one of the previous run reads, with no
// barrier of the solution's between them.
TEST(Batch, ARunWaitsForTheOneBefore)
{
    const auto gpu = openTestGpu("", Validation::required);
    Prepared prepared(*gpu, taskNamed("reduce/decomposition"), 5000, smallShape);
    RunTime time;
    const Verdict verdict = prepared.trial.judgedRun(Timer::gpu, &time, 3);
    for (const Finding& finding : verdict.findings) ADD_FAILURE() << finding.text();
}

}  // namespace a2
