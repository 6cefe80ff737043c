// Solutions that are not written yet are distinguished from wrong ones, by what is recorded and by what kernels write.

#include "GpuFixture.h"

namespace a2 {

namespace {

using Change = std::function<void(const RecordRequest& request, RecordedRun& run)>;

// The row, with `change` applied to each run that its solution records.
Task changedRow(const std::string& id, const Change& change)
{
    Task task = taskNamed(id);
    task.record = [change](const RecordRequest& request) -> RecordAnswer {
        RecordAnswer answer = recordedHere(request);
        for (RecordedRun& run : std::get<Recording>(answer).runs) change(request, run);
        return answer;
    };
    return task;
}

TaskOutcome outcomeOf(const std::string& id, std::uint64_t n, const Change& change)
{
    const auto gpu = openTestGpu();
    return evaluate(*gpu, changedRow(id, change), n);
}

void removeDispatches(const RecordRequest&, RecordedRun& run)
{
    std::erase_if(run.commands,
                  [](const RecordedCommand& one) { return std::holds_alternative<RecordedDispatch>(one); });
}

}  // namespace

TEST(Unwritten, IsHostCodeThatRecordsBarriersAlone)
{
    const TaskOutcome outcome = outcomeOf("reduce/interleaved", 100, removeDispatches);
    EXPECT_EQ(outcome.status, Status::notWritten);
    EXPECT_EQ(outcome.unwritten, "src/A2Task1Solution/Interleaved.cpp");
    EXPECT_FALSE(outcome.diagnosis);
    EXPECT_EQ(explanationLines(outcome),
              std::vector<std::string>{"NOT WRITTEN YET src/A2Task1Solution/Interleaved.cpp, 2 points"});
}

TEST(Unwritten, IsNoHostCodeThatForgetsShortArrays)
{
    const TaskOutcome outcome = outcomeOf("scan/offset", 10'000, [](const RecordRequest& request, RecordedRun& run) {
        if (request.count <= 10'000) removeDispatches(request, run);
    });
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("no-dispatch: "), std::string::npos) << explanation(outcome);
}

// The command that fails, and the longer run that is asked whether anything is recorded, are multiples of the tile.
TEST(Unwritten, IsNoHostCodeThatForgetsSomeLengths)
{
    const TaskOutcome outcome = outcomeOf("scan/offset", 8192, [](const RecordRequest& request, RecordedRun& run) {
        const std::uint64_t tile = request.shape.tile();
        if (request.count % tile == 0 && request.count > 7 * tile) removeDispatches(request, run);
    });
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("no-dispatch: "), std::string::npos) << explanation(outcome);
}

TEST(Unwritten, IsNoHostCodeThatPutsTheResultThereItself)
{
    const TaskOutcome outcome = outcomeOf("reduce/atomic", 100, [](const RecordRequest&, RecordedRun& run) {
        RecordedTransfer fill;
        fill.to = run.result;
        fill.bytes = sizeof(std::uint32_t);
        run.commands = {fill};
    });
    EXPECT_EQ(outcome.status, Status::failed);
}

TEST(Unwritten, IsNoHostCodeThatComesToNoRecording)
{
    Task task = taskNamed("reduce/interleaved");
    task.record = [](const RecordRequest&) -> RecordAnswer {
        return RecordFailure{RecordFailure::Kind::threw, "preparing", "", "it does not compile"};
    };
    const auto gpu = openTestGpu();
    EXPECT_EQ(evaluate(*gpu, task, 100).status, Status::failed);
}

}  // namespace a2
