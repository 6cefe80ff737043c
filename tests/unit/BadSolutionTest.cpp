// Wrong host code, and what the harness reports about it.

#include "A2Kernels.h"
#include "GpuFixture.h"
#include "a2/Solution.h"
#include "judge/Trial.h"
#include "support/ChangedShaders.h"

#include <algorithm>
#include <functional>
#include <optional>

namespace a2 {

namespace {

// Writes with transfer commands, so that a test can write anywhere and at any time. A dispatch that changes nothing
// comes last, because a result that no dispatch wrote is a separate fault.
struct Behaviour {
    std::uint64_t resultElements = 1;
    std::function<void(vk::CommandBuffer cb, const Buffer& input, const Buffer& result, unsigned run)> record;
    Lifetime resultLifetime = Lifetime::run;
};

class Scripted : public Solution {
public:
    Scripted(const Given& given, Behaviour behaviour)
        : Solution(given),
          behaviour_(std::move(behaviour)),
          result_(gpu, "scripted result", behaviour_.resultElements, behaviour_.resultLifetime),
          copy_(gpu, "Copy", 2, sizeof(std::uint32_t), {64, 2, false}),
          set_(copy_.makeDescriptorSet({input, result_}))
    {
    }
    void record(vk::CommandBuffer cb) override
    {
        behaviour_.record(cb, input, result_, run_++);
        wait(cb);
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, copy_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, copy_.layout(), 0, set_, {});
        cb.pushConstants<std::uint32_t>(copy_.layout(), vk::ShaderStageFlagBits::eCompute, 0, 0U);
        cb.dispatch(1, 1, 1);
    }
    static void wait(vk::CommandBuffer cb)
    {
        constexpr auto all = vk::PipelineStageFlagBits::eAllCommands;
        cb.pipelineBarrier(all, all, {},
                           vk::MemoryBarrier(vk::AccessFlagBits::eMemoryWrite,
                                             vk::AccessFlagBits::eMemoryRead | vk::AccessFlagBits::eMemoryWrite),
                           {}, {});
    }
    const Buffer& result() const override { return result_; }

private:
    Behaviour behaviour_;
    Buffer result_;
    ComputePipeline copy_;
    vk::DescriptorSet set_;
    unsigned run_ = 0;
};

Task scripted(const TaskClass& taskClass, const Behaviour& behaviour)
{
    Task task = taskNamed(taskClass.fixedResults == 1 ? "reduce/atomic" : "scan/naive");
    task.taskClass = &taskClass;
    task.shaders.clear();
    return withSolution(task, [behaviour](const Given& given) {
        Behaviour sized = behaviour;
        if (sized.resultElements == 0) sized.resultElements = given.count;
        return std::make_unique<Scripted>(given, sized);
    });
}

void copyWords(vk::CommandBuffer cb, const Buffer& from, const Buffer& to, std::uint64_t words,
               std::uint64_t toWord = 0)
{
    cb.copyBuffer(from.handle(), to.handle(), vk::BufferCopy(0, toWord * 4, words * 4));
}

constexpr std::uint64_t poisonSeed = 7;

// The verdict of three judged runs on a one-hot input of n elements with the one at 0: its scan is all ones, its sum is
// 1, and a copy of element 0 is the sum.
Verdict judged(Device& gpu, const TaskClass& taskClass, std::uint64_t n, const Behaviour& behaviour)
{
    const Input input(taskClass.fixedResults == 1 ? Pattern::oneHot(0) : Pattern::parse("onehot:0"), n, 1);
    const Task task = scripted(taskClass, behaviour);
    const Expectation expectation(taskClass, input, task.shape);
    const DeviceInput onDevice(gpu, expectation);
    Trial trial(gpu, task, expectation, onDevice);
    trial.poisonFrom(PoisonWords(poisonSeed));
    return trial.judgeThreeRuns();
}

// The poison in memory before run 0, 1, ... of these.
std::uint32_t poisonOf(unsigned run)
{
    PoisonWords words(poisonSeed);
    for (unsigned i = 0; i < 2 * run; ++i) words.next();  // one word for memory and one for the guards
    return words.next();
}

class BadSolution : public testing::Test {
protected:
    static void SetUpTestSuite() { gpu_ = openTestGpu(); }
    static void TearDownTestSuite() { gpu_.reset(); }
    static OpenDevice gpu_;
};
OpenDevice BadSolution::gpu_;

}  // namespace

TEST_F(BadSolution, AGoodOnePasses)
{
    const Verdict verdict = judged(
        *gpu_, TaskClass::reduction, 5,
        {1, [](auto cb, const Buffer& input, const Buffer& result, unsigned) { copyWords(cb, input, result, 1); }});
    EXPECT_TRUE(verdict.passed());
}

TEST_F(BadSolution, NoDispatchAtAll)
{
    const Verdict verdict =
        judged(*gpu_, TaskClass::reduction, 5, {1, [](auto, const Buffer&, const Buffer&, unsigned) {}});
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_EQ(verdict.mismatches->got, poisonOf(0));
}

// Nothing of it is replayed: what is in memory is no result.
TEST_F(BadSolution, AWrongCall)
{
    const Verdict verdict = judged(
        *gpu_, TaskClass::reduction, 5,
        {1, [](auto cb, const Buffer& input, const Buffer& result, unsigned) { copyWords(cb, input, result, 0); }});
    EXPECT_FALSE(verdict.mismatches);
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].text(), "call: vkCmdCopyBuffer: a copy of 0 bytes");
}

TEST_F(BadSolution, UnwrittenTail)
{
    // The scan of a one-hot at 0 is all ones; fill all elements except the last.
    const Verdict verdict = judged(*gpu_, TaskClass::scan, 100,
                                   {0, [](vk::CommandBuffer cb, const Buffer&, const Buffer& result, unsigned) {
                                        cb.fillBuffer(result.handle(), 0, 99 * 4, 1);
                                    }});
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_EQ(verdict.mismatches->firstIndex, 99U);
    EXPECT_EQ(verdict.mismatches->count, 1U);
    EXPECT_EQ(verdict.mismatches->got, poisonOf(0));
}

TEST_F(BadSolution, AFillBehindTheResult)
{
    const Verdict verdict = judged(*gpu_, TaskClass::scan, 100,
                                   {0, [](vk::CommandBuffer cb, const Buffer&, const Buffer& result, unsigned) {
                                        cb.fillBuffer(result.handle(), 0, 101 * 4, 1);
                                    }});
    EXPECT_FALSE(verdict.passed());
    ASSERT_EQ(verdict.findings.size(), 1U);
    EXPECT_EQ(verdict.findings[0].rule, "out-of-bounds");
    EXPECT_NE(verdict.findings[0].message.find("'scripted result'"), std::string::npos) << verdict.findings[0].message;
}

TEST_F(BadSolution, ACopyBehindTheInput)
{
    const Verdict verdict = judged(*gpu_, TaskClass::reduction, 5,
                                   {1, [](vk::CommandBuffer cb, const Buffer& input, const Buffer& result, unsigned) {
                                        copyWords(cb, input, result, 1);
                                        Scripted::wait(cb);
                                        copyWords(cb, result, input, 1, 5);
                                    }});
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].rule, "out-of-bounds");
    EXPECT_NE(verdict.findings[0].message.find("'input'"), std::string::npos) << verdict.findings[0].message;
}

TEST_F(BadSolution, StaleSecondRun)
{
    // Right once; later runs use what the first one left.
    const Verdict verdict = judged(*gpu_, TaskClass::reduction, 5,
                                   {1, [](auto cb, const Buffer& input, const Buffer& result, unsigned run) {
                                        if (run == 0) copyWords(cb, input, result, 1);
                                    }});
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_EQ(verdict.mismatches->got, poisonOf(1));
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].rule, "stale-state");
}

// The runs record the same commands and keep nothing: only the earlier contents of memory differ, and at this length no
// walk sees that. "record() must start from the same state" would not help.
TEST_F(BadSolution, ThatDependsOnLuckIsNotCalledStale)
{
    ChangedShaders shaders("A2Task1KernelDecomposition.comp", "writeonly buffer Sums", "buffer Sums");
    shaders.change("A2Task1KernelDecomposition.comp", "sums[workGroupNumber()] = sum;",
                   "sums[workGroupNumber()] = sum + (sums[workGroupNumber()] & 1u);");
    const OpenDevice gpu = openTestGpu(shaders.path());
    gpu->properties.deviceType = vk::PhysicalDeviceType::eDiscreteGpu;  // on a CPU device equal runs count as one
    const Task task = taskNamed("reduce/decomposition");
    const Input input(Pattern::parse("ones"), 5000, 1);
    const Expectation expectation(*task.taskClass, input, task.shape);
    const DeviceInput onDevice(*gpu, expectation);
    Trial trial(*gpu, task, expectation, onDevice);
    std::uint64_t seed = 0;
    const auto isOdd = [&](unsigned run) {
        PoisonWords words(seed);
        for (unsigned i = 0; i < 2 * run; ++i) words.next();
        return words.next() % 2 != 0;
    };
    while (isOdd(0) || !isOdd(1)) ++seed;
    trial.poisonFrom(PoisonWords(seed));
    const Verdict verdict = trial.judgeThreeRuns();
    ASSERT_TRUE(verdict.mismatches);
    ASSERT_FALSE(verdict.findings.empty());
    EXPECT_EQ(verdict.findings[0].rule, "");
    EXPECT_NE(verdict.findings[0].message.find("run 2 of the same commands on the same input failed"),
              std::string::npos)
        << verdict.findings[0].message;
}

// Right every time, because the first run's result is still in memory.
TEST_F(BadSolution, AResultThatIsKeptFromRunToRun)
{
    const auto once = [](auto cb, const Buffer& input, const Buffer& result, unsigned run) {
        if (run == 0) copyWords(cb, input, result, 1);
    };
    const Verdict verdict = judged(*gpu_, TaskClass::reduction, 5, {1, once, Lifetime::solution});
    EXPECT_FALSE(verdict.mismatches);
    ASSERT_EQ(verdict.findings.size(), 1U);
    EXPECT_EQ(verdict.findings[0].text(),
              "stale-state: buffer 'scripted result' has the result, and is kept from run to run: what an earlier run "
              "left there would pass; make it without Lifetime::solution");
}

// The same, through a buffer that may be kept.
TEST_F(BadSolution, AResultThatIsTakenFromWhatIsKept)
{
    std::optional<Buffer> kept;
    const auto once = [&](auto cb, const Buffer& input, const Buffer& result, unsigned run) {
        if (run == 0) copyWords(cb, input, *kept, 1);
        Scripted::wait(cb);
        copyWords(cb, *kept, result, 1);
    };
    const Task task = withSolution(scripted(TaskClass::reduction, {}), [&](const Given& given) {
        kept.emplace(given.gpu, "kept", 1, Lifetime::solution);
        return std::make_unique<Scripted>(given, Behaviour{1, once});
    });
    const Input input(Pattern::oneHot(0), 5, 1);
    const Expectation expectation(TaskClass::reduction, input, {});
    const DeviceInput onDevice(*gpu_, expectation);
    Trial trial(*gpu_, task, expectation, onDevice);
    const Verdict verdict = trial.judgeThreeRuns();
    ASSERT_EQ(verdict.findings.size(), 1U);
    EXPECT_EQ(
        verdict.findings[0].text(),
        "stale-state: right for the same input again, but after zeros element 0 is wrong: it is not made from this "
        "run's input alone; keep nothing of an input in buffer 'kept'");
}

TEST_F(BadSolution, ResultBufferTooShort)
{
    const Verdict verdict = judged(*gpu_, TaskClass::scan, 100,
                                   {50, [](vk::CommandBuffer cb, const Buffer&, const Buffer& result, unsigned) {
                                        cb.fillBuffer(result.handle(), 0, 50 * 4, 1);
                                    }});
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_EQ(verdict.mismatches->firstIndex, 50U);
    EXPECT_EQ(verdict.mismatches->count, 50U);
}

// However often it is timed, exactly what was judged runs.
TEST_F(BadSolution, IsNeverAskedAgainOnceItWasJudged)
{
    unsigned last = 0;
    Behaviour behaviour{1, [&](auto cb, const Buffer& input, const Buffer& result, unsigned run) {
                            last = std::max(last, run + 1);
                            if (run < 6) copyWords(cb, input, result, 1);
                        }};
    EvaluationSettings settings;
    settings.pattern = Pattern::oneHot(0);
    settings.size = 1;
    settings.repeat = 10;
    Evaluator evaluator(*gpu_, settings, [](const std::string&) {});
    const TaskOutcome outcome = evaluator.run(scripted(TaskClass::reduction, behaviour));
    EXPECT_EQ(last, StudentSolution::runsRecorded);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

TEST_F(BadSolution, AMemoryLimitSkips)
{
    Task task = taskNamed("scan/naive");
    const TaskOutcome outcome = evaluate(*gpu_, task, std::uint64_t{1} << 40);
    EXPECT_EQ(outcome.status, Status::skipped);
    EXPECT_NE(explanation(outcome).find("needs 12 TiB of device memory"), std::string::npos) << explanation(outcome);
}

}  // namespace a2
