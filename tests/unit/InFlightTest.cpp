// Runs of a batch side by side: a barrier only where buffers are used again, and every result judged.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "judge/Batch.h"
#include "judge/Series.h"
#include "support/DriverCalls.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace a2 {

namespace {

constexpr KernelShape oneTile{1024, 16, false};  // so each run is one dispatch

// A task with its own input and that many solutions, one of which may record something wrong.
struct Flight {
    using Fault = std::function<void(Recording&)>;
    Flight(Device& gpu, const std::string& id, unsigned inFlight, std::uint64_t n = 5000,
           const KernelShape& shape = {64, 4, false}, std::optional<std::size_t> spoilt = {},
           const Fault& fault = doesNothing)
        : task(taskNamed(id)),
          input(Pattern::parse("random"), n, 1),
          expectation(*task.taskClass, input, shape),
          onDevice(gpu, expectation)
    {
        task.record = [this, spoilt, fault](const RecordRequest& request) {
            RecordAnswer answer = recordedHere(request);
            if (made++ == spoilt) fault(std::get<Recording>(answer));
            return answer;
        };
        trial.emplace(gpu, task, expectation, onDevice, inFlight);
    }
    Verdict judged(unsigned batch)
    {
        RunTime time;
        return trial->judgedRun(Timer::gpu, &time, batch);
    }
    static void doesNothing(Recording& recording)
    {
        for (RecordedRun& run : recording.runs) run.commands.clear();
    }

    Task task;
    Input input;
    Expectation expectation;
    DeviceInput onDevice;
    std::size_t made = 0;
    std::optional<Trial> trial;
};

// The driver's calls for a batch of runs of that many solutions.
std::string batch(Device& gpu, const std::string& id, unsigned inFlight, unsigned runs)
{
    const Task task = taskNamed(id);
    const Input input(Pattern::parse("random"), 5000, 1);
    const Expectation expectation(*task.taskClass, input, oneTile);
    const DeviceInput onDevice(gpu, expectation);
    std::vector<std::unique_ptr<StudentSolution>> solutions;
    for (unsigned i = 0; i < inFlight; ++i)
        solutions.push_back(
            std::make_unique<StudentSolution>(gpu, task, oneTile, onDevice.input(), nullptr, input.size()));
    const auto commands = gpu.makeCommands("never submitted");
    commands->begin();
    const DriverCalls calls;
    recordInTurns(*commands, solutions, runs);
    commands->end();
    return calls.text();
}

}  // namespace

TEST(InFlight, ABarrierStandsWhereASolutionComesRoundAgainAndNowhereElse)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "scan/lookback", "scan/persistent", "reduce/subgroup"}) {
        EXPECT_EQ(batch(*gpu, id, 1, 3), "d|d|d") << id;
        EXPECT_EQ(batch(*gpu, id, 3, 7), "ddd|ddd|d") << id;
        EXPECT_EQ(batch(*gpu, id, 4, 4), "dddd") << id;
        EXPECT_EQ(batch(*gpu, id, 4, 2), "dd") << id;
    }
}

TEST(InFlight, TheResultOfEachIsJudged)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "scan/local"})
        for (const std::uint64_t n : {std::uint64_t{5000}, stagingWords / 2}) {  // gathered in one submit, and not
            if (n > 5000 && id == std::string("reduce/atomic")) continue;        // a sum is always short
            EXPECT_TRUE(Flight(*gpu, id, 3, n).judged(4).passed()) << id;
            for (const std::size_t spoilt : {0U, 1U, 2U}) {
                Flight flight(*gpu, id, 3, n, {64, 4, false}, spoilt);
                const Verdict verdict = flight.judged(4);
                ASSERT_TRUE(verdict.mismatches) << id << ", " << spoilt;
                EXPECT_EQ(verdict.mismatches->got, flight.trial->poison()) << "it was poisoned, too";
                ASSERT_FALSE(verdict.findings.empty());
                EXPECT_EQ(verdict.findings[0].message,
                          fmt::format("that is what solution {} of the 3 in flight left", spoilt + 1));
                if (spoilt == 2U) {
                    EXPECT_TRUE(flight.judged(2).passed()) << "the third one, which is wrong, has not run";
                }
            }
        }
}

TEST(InFlight, ASeriesFailsWhereOneOfThemIsWrong)
{
    const auto gpu = openTestGpu();
    Flight right(*gpu, "scan/local", 4);
    EXPECT_TRUE(timeSeries(*right.trial, ofThree(8)).verdict.passed());
    Flight wrong(*gpu, "scan/local", 4, 5000, {64, 4, false}, 3);
    EXPECT_FALSE(timeSeries(*wrong.trial, ofThree(8)).verdict.passed());
}

TEST(InFlight, IsOneForATaskThatWritesOverItsInput)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/interleaved", "reduce/sequential", "scan/naive"})
        EXPECT_EQ(Flight(*gpu, id, 8).trial->inFlight(), 1U) << id;
}

TEST(InFlight, IsAsManyAsMemoryHolds)
{
    const auto gpu = openTestGpu();
    constexpr std::uint64_t n = 1 << 20;
    const Input input(Pattern(), n, 1);
    const Task task = taskNamed("scan/local");
    const Expectation expectation(*task.taskClass, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    // Room for three and a half scans.
    const vk::DeviceSize heap = (gpu->usedOfDeviceHeap() + 14 * n) / 15 * 16;
    for (auto& one : vulkanOf(*gpu->backend).memory.memoryHeaps) one.size = heap;
    Trial trial(*gpu, task, expectation, onDevice, 8);
    EXPECT_EQ(trial.inFlight(), 3U);
    RunTime time;
    EXPECT_TRUE(trial.judgedRun(Timer::gpu, &time, 8).passed());
}

TEST(InFlight, IsAsManyAsTheDriverHasMemoryFor)
{
    const auto gpu = openTestGpu();
    const Flight flight(*gpu, "scan/local", 1);
    Task task = taskNamed("scan/local");
    static unsigned made;
    static decltype(VULKAN_HPP_DEFAULT_DISPATCHER.vkAllocateMemory) drivers;
    auto& table = tableOf(*gpu);
    drivers = table.vkAllocateMemory;
    table.vkAllocateMemory = [](VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
        return made >= 3 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : drivers(device, info, callbacks, memory);
    };
    task.record = [](const RecordRequest& request) {
        ++made;
        return recordedHere(request);
    };
    made = 0;
    EXPECT_EQ(Trial(*gpu, task, flight.expectation, flight.onDevice, 8).inFlight(), 2U);
    made = 2;
    EXPECT_THROW(Trial(*gpu, task, flight.expectation, flight.onDevice, 8), LimitError) << "not even one";
}

// A solution that claims a lack of memory without a reason is wrong.
TEST(InFlight, ALaterSolutionThatThrowsFails)
{
    const auto gpu = openTestGpu();
    const Flight flight(*gpu, "scan/local", 1);
    Task task = taskNamed("scan/local");
    unsigned made = 0;
    task.record = [&](const RecordRequest& request) -> RecordAnswer {
        if (++made == 3) return RecordFailure{RecordFailure::Kind::memory, "preparing", "the device refused", ""};
        return recordedHere(request);
    };
    EXPECT_THROW(Trial(*gpu, task, flight.expectation, flight.onDevice, 8), KernelError);
}

// Synchronisation validation checks real recordings: runs of one dispatch, which have no barrier of a solution's
// between them, and runs with barriers.
TEST(InFlight, TheLayerHasNothingAgainstIt)
{
    const auto gpu = openTestGpu("", Validation::required);
    for (const char* id : {"reduce/decomposition", "scan/lookback", "scan/persistent", "reduce/atomic"})
        for (const KernelShape& shape : {oneTile, KernelShape{64, 4, false}}) {
            Flight flight(*gpu, id, 3, 5000, shape);
            for (const Finding& finding : flight.judged(8).findings) ADD_FAILURE() << id << ": " << finding.text();
        }
}

}  // namespace a2
