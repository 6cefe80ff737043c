// What is between the student and the driver: the log in checked runs, nothing in timed ones; and verdicts on steps.

#include "GpuFixture.h"
#include "evaluate/Trial.h"
#include "observe/Lint.h"
#include "observe/Observing.h"

namespace a2 {

namespace {

// Passes every call on to another solution, and keeps which vkCmdDispatch was in the table when it recorded.
class Spy : public Solution {
public:
    Spy(std::unique_ptr<Solution> real, std::vector<PFN_vkCmdDispatch>& seen) : real_(std::move(real)), seen_(seen) {}
    void record(vk::CommandBuffer cb) override
    {
        seen_.push_back(VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch);
        real_->record(cb);
    }
    const Buffer& result() const override { return real_->result(); }

private:
    std::unique_ptr<Solution> real_;
    std::vector<PFN_vkCmdDispatch>& seen_;
};

TaskOutcome steps(Gpu& gpu, const Task& task, std::uint64_t n, StepsOutcome& found)
{
    EvaluationSettings settings;
    settings.size = n;
    settings.workGroup = 4;
    settings.elements = 2;
    Evaluator evaluator(gpu, settings, [](const std::string&) {});
    return evaluator.steps(task, {}, found);
}

}  // namespace

TEST(Observing, IsOnlyInTheWayOfWhatIsNotTimed)
{
    const auto gpu = openTestGpu();
    const auto drivers = VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch;
    std::vector<PFN_vkCmdDispatch> seen;
    const Task real = taskNamed("reduce/atomic");
    const Input input(Pattern(), 1000, 1);
    const Expectation expectation(real.kind, input, real.shape);
    const DeviceInput onDevice(*gpu, expectation);
    Task spied = real;
    spied.prepare = [&](Gpu& g, const KernelShape& shape, const Buffer& in, const Buffer* offsets, std::uint64_t n) {
        return std::make_unique<Spy>(real.prepare(g, shape, in, offsets, n), seen);
    };
    Trial trial(*gpu, spied, expectation, onDevice);
    RunTime time;
    trial.judgedRun(Trial::poison(0));
    trial.timedRun(Timer::gpu);
    trial.judgedRun(Trial::poison(1), Timer::gpu, &time);
    ASSERT_EQ(seen.size(), 3U);
    EXPECT_NE(seen[0], drivers);
    EXPECT_EQ(seen[1], drivers);
    EXPECT_EQ(seen[2], drivers);
    EXPECT_EQ(VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch, drivers);
    EXPECT_EQ(trial.log().dispatches().size(), 1U) << "the log is of the run that was observed";
}

TEST(Observing, LeavesTheTableAsItWasWhenRecordingThrows)
{
    const auto gpu = openTestGpu();
    const auto drivers = VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch;
    CommandLog log(gpu->state());
    try {
        const Observing observing(log);
        throw std::runtime_error("a student's mistake");
    } catch (const std::runtime_error&) {
    }
    EXPECT_EQ(VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch, drivers);
}

TEST(Observing, AnEventThatIsWaitedForIsABarrier)
{
    const auto gpu = openTestGpu();
    const vk::raii::Event event(gpu->state().device, vk::EventCreateInfo());
    const vk::raii::CommandBuffer commands = gpu->state().makeCommandBuffer("events");
    const vk::CommandBuffer cb = *commands;
    constexpr auto compute = vk::PipelineStageFlagBits::eComputeShader;
    CommandLog log(gpu->state());
    log.beginRecording();
    cb.begin(vk::CommandBufferBeginInfo());
    {
        const Observing observing(log);
        cb.setEvent(*event, compute);
        cb.waitEvents(*event, compute, compute,
                      vk::MemoryBarrier(vk::AccessFlagBits::eShaderWrite, vk::AccessFlagBits::eShaderRead), {}, {});
    }
    cb.end();
    ASSERT_EQ(log.commands().size(), 1U);
    const auto& dependencies = std::get<BarrierCommand>(log.commands()[0]).dependencies;
    EXPECT_EQ(std::get<BarrierCommand>(log.commands()[0]).covered, 0U) << "no command came before the event was set";
    ASSERT_EQ(dependencies.size(), 2U) << "of execution, and of memory";
    EXPECT_EQ(dependencies[1].dstAccess, vk::AccessFlagBits2::eShaderRead);
}

// Interleaved's host code and kernel in Sequential's row: a right sum, by another order of work.
TEST(StepVerdicts, ADifferentOrderOfWorkIsUncheckedAndPasses)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("reduce/sequential");
    task.prepare = taskNamed("reduce/interleaved").prepare;
    StepsOutcome found;
    const TaskOutcome outcome = steps(*gpu, task, 32, found);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    ASSERT_FALSE(found.steps.empty());
    for (const Step& step : found.steps) EXPECT_EQ(step.judgement.verdict, StepVerdict::unchecked);
}

TEST(StepVerdicts, ARowWithoutAModelIsUnchecked)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("scan/naive");
    task.steps = StepModel::none;
    StepsOutcome found;
    EXPECT_EQ(steps(*gpu, task, 32, found).status, Status::passed);
    ASSERT_EQ(found.steps.size(), 5U);
    EXPECT_EQ(found.steps[4].judgement.verdict, StepVerdict::unchecked);
}

TEST(StepVerdicts, KnowWhatEachStepChanged)
{
    const auto gpu = openTestGpu();
    StepsOutcome found;
    steps(*gpu, taskNamed("scan/work-efficient"), 32, found);
    ASSERT_EQ(found.steps.size(), 3U);
    EXPECT_EQ(found.steps[0].dispatch.label, "scan tiles, level 0");
    ASSERT_EQ(found.steps[0].written.size(), 2U);
    EXPECT_EQ(found.steps[0].written[1].name, "block sums, level 0");
    EXPECT_EQ(found.steps[0].written[1].changed, 4U);
    EXPECT_EQ(found.steps[2].written[0].changed, 24U) << "the first tile has nothing to add";
    EXPECT_EQ(found.steps[2].barriers.size(), 1U);
}

TEST(StepVerdicts, ASumIsJudgedWhole)
{
    const auto gpu = openTestGpu();
    StepsOutcome found;
    steps(*gpu, taskNamed("reduce/subgroup"), 32, found);
    ASSERT_EQ(found.steps.size(), 1U);
    EXPECT_EQ(found.steps[0].judgement.verdict, StepVerdict::ok);
    EXPECT_EQ(found.steps[0].judgement.what, "the sum of all");
    ASSERT_EQ(found.steps[0].written.size(), 2U);
    EXPECT_EQ(found.steps[0].written[0].name, "sum");
    EXPECT_EQ(found.steps[0].written[1].name, "running sum");
    EXPECT_EQ(found.steps[0].written[1].changed, 0U) << "it is left at zero";
}

TEST(StepVerdicts, ASumMayGoLevelByLevel)
{
    GpuOptions options;
    options.device = "cpu";
    options.plainAtomics = true;
    Gpu gpu(openGpu(options));
    StepsOutcome found;
    EXPECT_EQ(steps(gpu, taskNamed("reduce/subgroup"), 100, found).status, Status::passed);
    ASSERT_EQ(found.steps.size(), 3U);
    for (const Step& step : found.steps) EXPECT_EQ(step.judgement.verdict, StepVerdict::ok);
    EXPECT_EQ(found.steps[0].judgement.what, "13 sums, one per work-group");
    EXPECT_EQ(found.steps[2].judgement.what, "the sum of all");
}

TEST(StepVerdicts, AScanIsJudgedWhole)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("scan/lookback");
    StepsOutcome found;
    for (const bool exclusive : {false, true}) {
        EvaluationSettings settings;
        settings.size = 100;
        settings.workGroup = 4;
        settings.elements = 4;
        settings.exclusive = exclusive;
        Evaluator evaluator(*gpu, settings, [](const std::string&) {});
        EXPECT_EQ(evaluator.steps(task, {}, found).status, Status::passed);
        ASSERT_EQ(found.steps.size(), 1U);
        EXPECT_EQ(found.steps[0].judgement.verdict, StepVerdict::ok);
        EXPECT_EQ(found.steps[0].judgement.what, "the whole array scanned");
        EXPECT_EQ(found.steps[0].dispatch.groupCount(), 7U);
    }
    // Judged as a scan, a sum is a wrong one.
    task.prepare = taskNamed("reduce/subgroup").prepare;
    task.elementsUnit = 2;
    EXPECT_EQ(steps(*gpu, task, 32, found).status, Status::failed);
    ASSERT_EQ(found.steps.size(), 1U);
    EXPECT_EQ(found.steps[0].judgement.verdict, StepVerdict::wrong);
}

TEST(Lint, HasTheContractsRules) { EXPECT_EQ(lintRules().size(), 13U); }

}  // namespace a2
