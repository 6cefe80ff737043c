// Runs of a batch side by side: a barrier where buffers are used again and nowhere else, and every result judged.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "evaluate/Batch.h"
#include "evaluate/Series.h"
#include "observe/Hazards.h"
#include "observe/Observing.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace a2 {

namespace {

// Records what another solution does, unless it is told otherwise.
class Watched : public Solution {
public:
    using Instead = std::function<bool(std::size_t number, const Solution&, vk::CommandBuffer)>;
    Watched(std::unique_ptr<Solution> inner, std::size_t number, const Instead& instead)
        : inner_(std::move(inner)), number_(number), instead_(instead)
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        if (!instead_(number_, *inner_, cb)) inner_->record(cb);
    }
    const Buffer& result() const override { return inner_->result(); }

private:
    std::unique_ptr<Solution> inner_;
    std::size_t number_;
    const Instead& instead_;
};

constexpr KernelShape oneTile{1024, 16, false};  // so that a run is one dispatch

// A task on an input of its own, and what its solutions record, by their numbers, in order.
struct Flight {
    Flight(Gpu& gpu, const std::string& id, unsigned inFlight, std::uint64_t n = 5000,
           const KernelShape& shape = {64, 4, false})
        : task(taskNamed(id)),
          input(Pattern::parse("random"), n, 1),
          expectation(task.kind, input, shape),
          onDevice(gpu, expectation)
    {
        task.prepare = [this, prepare = task.prepare](Gpu& g, const KernelShape& s, const Buffer& in,
                                                      const Buffer* offsets, std::uint64_t count) {
            return std::make_unique<Watched>(prepare(g, s, in, offsets, count), made++, instead);
        };
        trial.emplace(gpu, task, expectation, onDevice, inFlight);
    }
    Verdict judged(unsigned batch)
    {
        RunTime time;
        return trial->judgedRun(Trial::poison(0), Timer::gpu, &time, batch);
    }

    Task task;
    Input input;
    Expectation expectation;
    DeviceInput onDevice;
    std::size_t made = 0;
    std::string recorded;
    std::optional<std::size_t> spoilt;  // which solution does something else than it should
    std::function<void(const Solution&, vk::CommandBuffer)> fault = [](const Solution&, vk::CommandBuffer) {};
    Watched::Instead instead = [this](std::size_t number, const Solution& solution, vk::CommandBuffer cb) {
        recorded += fmt::format("{} ", number);
        if (spoilt != number) return false;
        fault(solution, cb);
        return true;
    };
    std::optional<Trial> trial;
};

// "d" for each dispatch and "|" for each barrier.
std::string shown(const CommandLog& log)
{
    std::string text;
    for (const Command& command : log.commands()) text += std::holds_alternative<BarrierCommand>(command) ? '|' : 'd';
    return text;
}

// A batch of runs of so many solutions, recorded under the eyes of the log and never run.
struct Logged {
    Logged(Gpu& gpu, const std::string& id, unsigned inFlight, unsigned runs, const KernelShape& shape = oneTile)
        : log(gpu.state())
    {
        const Task task = taskNamed(id);
        const Input input(Pattern::parse("random"), 5000, 1);
        const Expectation expectation(task.kind, input, shape);
        const DeviceInput onDevice(gpu, expectation);
        const vk::raii::CommandBuffer cb = gpu.state().makeCommandBuffer("never submitted");
        std::vector<std::unique_ptr<Solution>> solutions;
        const Observing observing(log);
        for (unsigned i = 0; i < inFlight; ++i)
            solutions.push_back(task.prepare(gpu, expectation.shape(), onDevice.input(), nullptr, input.size()));
        (*cb).begin(vk::CommandBufferBeginInfo());
        log.beginRecording();
        recordInTurns(*cb, solutions, runs);
        (*cb).end();
        commands = shown(log);
        found = hazards(log.commands());
    }
    CommandLog log;
    std::string commands;
    std::vector<Finding> found;
};

}  // namespace

TEST(InFlight, ABarrierStandsWhereASolutionComesRoundAgainAndNowhereElse)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "scan/lookback", "reduce/subgroup"}) {
        EXPECT_EQ(Logged(*gpu, id, 1, 3).commands, "d|d|d") << id;
        EXPECT_EQ(Logged(*gpu, id, 3, 7).commands, "ddd|ddd|d") << id;
        EXPECT_EQ(Logged(*gpu, id, 4, 4).commands, "dddd") << id;
        EXPECT_EQ(Logged(*gpu, id, 4, 2).commands, "dd") << id;
    }
}

// The log knows which bytes each dispatch reads and writes: to leave out one of those barriers is a finding.
TEST(InFlight, NoTwoRunsThatShareWhatIsWrittenAreWithoutABarrier)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "reduce/decomposition", "scan/local", "scan/work-efficient",
                           "scan/lookback", "reduce/subgroup"})
        for (const unsigned inFlight : {1U, 2U, 5U}) {
            const Logged logged(*gpu, id, inFlight, 11, {64, 4, false});
            for (const Finding& one : logged.found) ADD_FAILURE() << id << ", " << inFlight << ": " << one.text();
        }
}

// That the test above can fail: what a batch without the barrier would be.
TEST(InFlight, TheLogSeesABarrierThatIsMissing)
{
    const auto gpu = openTestGpu();
    const Logged logged(*gpu, "reduce/atomic", 2, 3);
    std::vector<Command> commands = logged.log.commands();
    std::erase_if(commands, [](const Command& one) { return std::holds_alternative<BarrierCommand>(one); });
    const std::vector<Finding> found = hazards(commands);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].rule, "missing-barrier");
    EXPECT_EQ(found[0].dispatch, 2U) << "the third run uses the first one's buffers";
}

TEST(InFlight, RunsTakeTurnsAndTheFirstSolutionIsLookedAt)
{
    const auto gpu = openTestGpu();
    Flight flight(*gpu, "scan/local", 3);
    EXPECT_EQ(flight.trial->inFlight(), 3U);
    EXPECT_TRUE(flight.judged(7).passed());
    EXPECT_EQ(flight.recorded, "0 1 2 0 1 2 0 ");
    flight.recorded.clear();
    EXPECT_TRUE(flight.trial->judgedRun(Trial::poison(1)).passed());
    EXPECT_EQ(flight.recorded, "0 ");
    flight.recorded.clear();
    flight.trial->timedRun(Timer::gpu, 2);
    EXPECT_EQ(flight.recorded, "0 1 ");
}

TEST(InFlight, TheResultOfEachIsJudged)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"reduce/atomic", "scan/local"})
        for (const std::uint64_t n : {std::uint64_t{5000}, stagingWords / 2}) {  // gathered in one submit, or not
            if (n > 5000 && id == std::string("reduce/atomic")) continue;        // a sum is always short
            Flight flight(*gpu, id, 3, n);
            EXPECT_TRUE(flight.judged(4).passed()) << id;
            for (const std::size_t spoilt : {0U, 1U, 2U}) {
                flight.spoilt = spoilt;
                const Verdict verdict = flight.judged(4);
                ASSERT_TRUE(verdict.mismatches) << id << ", " << spoilt;
                EXPECT_EQ(verdict.mismatches->got, Trial::poison(0)) << "it was poisoned, too";
                ASSERT_FALSE(verdict.findings.empty());
                EXPECT_EQ(verdict.findings[0].message,
                          fmt::format("that is what solution {} of the 3 in flight left", spoilt + 1));
            }
            EXPECT_TRUE(flight.judged(2).passed()) << "the third one, which is wrong, has not run";
        }
}

TEST(InFlight, TheGuardsOfEachAreLookedAt)
{
    const auto gpu = openTestGpu();
    Flight flight(*gpu, "reduce/atomic", 3);
    flight.fault = [](const Solution& solution, vk::CommandBuffer cb) {
        cb.fillBuffer(solution.result().handle(), 0, 4, 0);
    };
    flight.spoilt = 2;
    const Verdict verdict = flight.judged(3);
    EXPECT_TRUE(std::any_of(verdict.findings.begin(), verdict.findings.end(),
                            [](const Finding& one) { return one.rule == "out-of-bounds"; }));
}

TEST(InFlight, ASeriesFailsWhereOneOfThemIsWrong)
{
    const auto gpu = openTestGpu();
    Flight flight(*gpu, "scan/local", 4);
    EXPECT_TRUE(timeSeries(*flight.trial, ofThree(8)).verdict.passed());
    flight.spoilt = 3;
    EXPECT_FALSE(timeSeries(*flight.trial, ofThree(8)).verdict.passed());
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
    const Expectation expectation(task.kind, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    // Room for three scans and a half.
    const vk::DeviceSize heap = (gpu->state().usedOfDeviceHeap() + 14 * n) / 15 * 16;
    for (auto& one : gpu->state().memory.memoryHeaps) one.size = heap;
    Trial trial(*gpu, task, expectation, onDevice, 8);
    EXPECT_EQ(trial.inFlight(), 3U);
    RunTime time;
    EXPECT_TRUE(trial.judgedRun(Trial::poison(0), Timer::gpu, &time, 8).passed());
}

TEST(InFlight, IsAsManyAsTheDriverHasMemoryFor)
{
    const auto gpu = openTestGpu();
    const Flight flight(*gpu, "scan/local", 1);
    Task task = taskNamed("scan/local");
    static unsigned made;
    static decltype(VULKAN_HPP_DEFAULT_DISPATCHER.vkAllocateMemory) drivers;
    auto& table = const_cast<std::remove_cvref_t<decltype(*gpu->state().device.getDispatcher())>&>(
        *gpu->state().device.getDispatcher());
    drivers = table.vkAllocateMemory;
    table.vkAllocateMemory = [](VkDevice device, const VkMemoryAllocateInfo* info,
                                const VkAllocationCallbacks* callbacks, VkDeviceMemory* memory) {
        return made >= 3 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : drivers(device, info, callbacks, memory);
    };
    task.prepare = [prepare = task.prepare](Gpu& g, const KernelShape& shape, const Buffer& in, const Buffer* offsets,
                                            std::uint64_t count) {
        ++made;
        return prepare(g, shape, in, offsets, count);
    };
    made = 0;
    EXPECT_EQ(Trial(*gpu, task, flight.expectation, flight.onDevice, 8).inFlight(), 2U);
    made = 2;
    EXPECT_THROW(Trial(*gpu, task, flight.expectation, flight.onDevice, 8), LimitError) << "not even one";
}

// One that says so without a reason is wrong.
TEST(InFlight, ALaterSolutionThatThrowsFails)
{
    const auto gpu = openTestGpu();
    const Flight flight(*gpu, "scan/local", 1);
    Task task = taskNamed("scan/local");
    unsigned made = 0;
    task.prepare = [&, prepare = task.prepare](Gpu& g, const KernelShape& shape, const Buffer& in,
                                               const Buffer* offsets, std::uint64_t count) {
        if (++made == 3) throw LimitError("the device refused");
        return prepare(g, shape, in, offsets, count);
    };
    EXPECT_THROW(Trial(*gpu, task, flight.expectation, flight.onDevice, 8), KernelError);
}

TEST(InFlight, TheDriversOwnFunctionsAreTimed)
{
    const auto gpu = openTestGpu();
    const auto drivers = VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch;
    Flight flight(*gpu, "reduce/atomic", 3);
    bool own = true;
    flight.instead = [&](std::size_t, const Solution&, vk::CommandBuffer) {
        own = own && VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch == drivers;
        return false;
    };
    flight.trial->timedRun(Timer::gpu, 6);
    flight.judged(6);
    EXPECT_TRUE(own);
}

// Synchronisation validation looks at real recordings: runs of one dispatch, so that no barrier of a solution's own is
// between them, and runs with barriers.
TEST(InFlight, TheLayerHasNothingAgainstIt)
{
    const auto gpu = openTestGpu("", Validation::required);
    for (const char* id : {"reduce/decomposition", "scan/lookback", "reduce/atomic"})
        for (const KernelShape& shape : {oneTile, KernelShape{64, 4, false}}) {
            Flight flight(*gpu, id, 3, 5000, shape);
            for (const Finding& finding : flight.judged(8).findings) ADD_FAILURE() << id << ": " << finding.text();
        }
}

}  // namespace a2
