// Timed repetitions are checked: a solution that leaves out work in one of them is found, and one that does all of it
// is not accused.

#include "A2Task1.h"
#include "GpuFixture.h"
#include "a2/Solution.h"
#include "judge/Digest.h"
#include "judge/LowerLimits.h"
#include "judge/Series.h"
#include "recording/UsedBuffers.h"
#include "support/ChangedShaders.h"
#include "support/DriverCalls.h"
#include "support/Prepared.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace a2 {

namespace {

constexpr std::uint64_t tooLongToGather = stagingWords + 3;

// The row's own solution, right in the first of its three recorded runs; `change` changes the others.
Task rightOnce(const std::string& id, const std::function<void(RecordedRun&)>& change)
{
    Task task = taskNamed(id);
    task.record = [change](const RecordRequest& request) {
        RecordAnswer answer = recordedHere(request);
        std::vector<RecordedRun>& runs = std::get<Recording>(answer).runs;
        for (std::size_t i = 1; i < runs.size(); ++i) change(runs[i]);
        return answer;
    };
    return task;
}

// Writes one word.
RecordedTransfer fillOf(Index buffer, std::uint64_t element, std::uint32_t word)
{
    RecordedTransfer one;
    one.kind = RecordedTransfer::Kind::fill;
    one.to = buffer;
    one.toOffset = element * sizeof word;
    one.bytes = sizeof word;
    one.fill = word;
    return one;
}

void doNothing(RecordedRun& run) { run.commands.clear(); }

std::string texts(const Verdict& verdict)
{
    std::string all = verdict.mismatches ? "wrong elements\n" : "";
    for (const Finding& finding : verdict.findings) all += finding.text() + "\n";
    return all;
}

// A sum by one invocation, which counts its runs in its own memory, keeps the sum there, and from run `honest` on does
// something else: "sum" may be left out, or taken from what was kept.
class Counting : public Solution {
public:
    explicit Counting(const Given& given)
        : Solution(given),
          kernel_(gpu, "A2Task1Subgroup", 3, sizeof(SubgroupPush), {64, 2, false}),
          sum_(gpu, "sum", 1),
          kept_(gpu, "kept", 2, Lifetime::solution),
          set_(kernel_.makeDescriptorSet({input, sum_, kept_}))
    {
        fillDeviceWithStagingBuffer(gpu, kept_, std::array<std::uint32_t, 2>{0, 0});
    }
    void record(vk::CommandBuffer cb) override
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<SubgroupPush>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0,
                                       SubgroupPush{static_cast<uint>(count), 1});
        cb.dispatch(1, 1, 1);
    }
    const Buffer& result() const override { return sum_; }

private:
    ComputePipeline kernel_;
    Buffer sum_, kept_;
    vk::DescriptorSet set_;
};

// The outcome of `a2 run` with twelve repetitions, if that kernel does `instead` from run `honest` on, counted from 0.
// Nine runs come before the series: three in a row, and six alternating with zeros.
TaskOutcome counted(const std::string& instead, unsigned honest)
{
    ChangedShaders shaders("A2Task1Subgroup.comp", "const uint sum = sumOfTile();",
                           fmt::format("if (gl_LocalInvocationID.x == 0) {{\n"
                                       "        const uint run = kept[0];\n"
                                       "        kept[0] = run + 1;\n"
                                       "        if (run < {}) {{\n"
                                       "            uint all = 0;\n"
                                       "            for (uint i = 0; i < push.count; ++i) all += source[i];\n"
                                       "            total = all;\n"
                                       "            kept[1] = all;\n"
                                       "        }} else {{\n"
                                       "            {}\n"
                                       "        }}\n"
                                       "    }}\n"
                                       "}}\n\n"
                                       "void rest()\n{{\n    const uint sum = 0;\n",
                                       honest, instead));
    shaders.change("A2Task1Subgroup.comp", "buffer RunningSum { uint64_t sumAndGroups; };",
                   "buffer RunningSum { uint kept[]; };");
    shaders.change("A2Task1Subgroup.comp", "    if (gl_SubgroupID == 0 && subgroupElect()) {", "    if (false) {");
    shaders.change("A2Task1Subgroup.comp", "atomicAdd(sumAndGroups, uint64_t(sum) << 32 | 1)", "uint64_t(0)");
    shaders.change("A2Task1Subgroup.comp", "atomicExchange(sumAndGroups, 0);", ";");
    const auto gpu = openTestGpu(shaders.path());
    Task task = withSolution(taskNamed("reduce/subgroup"), make<Counting>);
    task.scheme.steps = StepModel::none;
    EvaluationSettings settings;
    settings.size = 1000;
    settings.repeat = 12;
    settings.workGroup = 64;
    Evaluator evaluator(*gpu, settings, [](const std::string&) {});
    return evaluator.run(task);
}

}  // namespace

TEST(Digest, OfTheDeviceIsThatOfTheHost)
{
    const auto gpu = openTestGpu();
    for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000}, std::uint64_t{1} << 19}) {
        std::vector<std::uint32_t> words(n);
        Pattern::parse("random").fill(words, n);
        const DeviceBuffer buffer(*gpu, "words", n);
        DeviceDigests digests(*gpu, 3);
        fillDevice(*gpu, buffer, words);
        TimedRun(*gpu).run(
            Timer::gpu, {}, [&](Commands& cb) { digests.record(cb, 1, buffer, n); },
            [&](Commands& cb) { recordGather(*gpu, cb, {digests.region(1)}); });
        const auto found = gathered(*gpu, 2);
        EXPECT_EQ((Digest{found[0], found[1]}), digestOf(words)) << n;
    }
}

TEST(Digest, GoesThroughAnArrayInSlices)
{
    GpuOptions options;
    options.device = "cpu";
    options.bindingLimit = 1 << 16;
    const auto gpu = openDevice(options);
    std::vector<std::uint32_t> words(100001);
    Pattern::parse("random").fill(words, 5);
    const DeviceBuffer buffer(*gpu, "words", words.size());
    fillDevice(*gpu, buffer, words);
    DeviceDigests digests(*gpu, 1);
    TimedRun(*gpu).run(
        Timer::gpu, {}, [&](Commands& cb) { digests.record(cb, 0, buffer, words.size()); },
        [&](Commands& cb) { recordGather(*gpu, cb, {digests.region(0)}); });
    const auto found = gathered(*gpu, 2);
    EXPECT_EQ((Digest{found[0], found[1]}), digestOf(words));
}

TEST(Digest, SeesOneWordAndTwoThatSwappedPlaces)
{
    std::vector<std::uint32_t> words(1000);
    Pattern::parse("random").fill(words, 1);
    const Digest right = digestOf(words);
    words[0] += 1;  // the word with index 0
    EXPECT_NE(digestOf(words), right);
    words[0] -= 1;
    std::swap(words[3], words[500]);
    EXPECT_NE(digestOf(words), right);
    std::swap(words[3], words[500]);
    EXPECT_EQ(digestOf(words), right);
}

TEST(Digest, OfTheExpectationIsThatOfItsElements)
{
    const Input input(Pattern::parse("random"), 200000, 1);
    for (const TaskClass* taskClass :
         {&TaskClass::reduction, &TaskClass::scan, &TaskClass::localScan, &TaskClass::offset})
        for (const bool exclusive : {false, true}) {
            const Expectation expectation(*taskClass, input, {64, 4, exclusive});
            std::vector<std::uint32_t> words(expectation.resultSize());
            for (std::uint64_t i = 0; i < words.size(); ++i) words[i] = expectation.result(i);
            EXPECT_EQ(expectedDigest(expectation), digestOf(words));
        }
}

// The result for the changed input is computed without a second reference: the right solutions agree with it.
TEST(Repetition, PassesWhereTheWorkIsDone)
{
    const auto gpu = openTestGpu();
    for (const Task& task : allTasks())
        for (const bool exclusive : {false, true}) {
            if (exclusive && !task.taskClass->hasExclusive) continue;
            for (const std::uint64_t n : {1U, 2U, 31U, 33U, 1000U, 5000U}) {
                Prepared prepared(*gpu, task, n, {64, task.elementsUnit, exclusive});
                ASSERT_TRUE(prepared.trial.judgedRun().passed()) << task.id;
                for (int i = 0; i < 4; ++i)
                    EXPECT_EQ(texts(prepared.trial.repetition(Timer::gpu).verdict), "") << task.id << ", n = " << n;
                EXPECT_TRUE(prepared.trial.judgedRun().passed()) << task.id << ": the input is as it was";
            }
        }
}

TEST(Repetition, PassesWhereTheResultIsTooLongToGather)
{
    const auto gpu = openTestGpu();
    for (const char* id : {"scan/local", "scan/offset"}) {
        const Task task = taskNamed(id);
        Prepared prepared(*gpu, task, tooLongToGather, task.shape);
        const std::size_t buffers = prepared.trial.watchedBuffers();
        ASSERT_TRUE(prepared.trial.judgedRun().passed());
        for (int i = 0; i < 3; ++i) EXPECT_EQ(texts(prepared.trial.repetition(Timer::gpu).verdict), "") << id;
        EXPECT_EQ(prepared.trial.watchedBuffers(), buffers) << "those of the digests are not the solution's";
        EXPECT_TRUE(prepared.trial.judgedRun().passed());
    }
}

// For a part of a longer array: its sum is asked for, the sum of what is before it is added to its first element, and
// the result is that of the whole array.
TEST(Repetition, OfAPartGoesOnFromWhatLiesBefore)
{
    const auto gpu = openTestGpu();
    constexpr std::uint32_t before = 0xFFFFFF00;
    for (const char* id : {"scan/naive", "scan/work-efficient", "scan/lookback", "scan/persistent", "scan/kogge-stone"})
        for (const bool exclusive : {false, true})
            for (const std::uint64_t n : {std::uint64_t{1}, std::uint64_t{31}, std::uint64_t{5000}, tooLongToGather}) {
                if (n == tooLongToGather && id != std::string("scan/lookback")) continue;
                SCOPED_TRACE(fmt::format("{}, n = {}, exclusive {}", id, n, exclusive));
                const Task task = taskNamed(id);
                Prepared prepared(*gpu, task, n, {64, task.elementsUnit, exclusive});
                ASSERT_TRUE(prepared.trial.judgedRun().passed());
                std::uint32_t sum = 0;
                const auto from = [&](bool changed) {
                    const Trial::PartStart start{true,
                                                 [&](std::uint32_t ofPart) {
                                                     sum = ofPart;
                                                     return before;
                                                 },
                                                 changed};
                    const Trial::Repetition done = prepared.trial.repetition(Timer::gpu, 1, &start);
                    EXPECT_TRUE(done.sum);
                    return texts(done.verdict);
                };
                for (int i = 0; i < 2; ++i) EXPECT_EQ(from(true), "");
                EXPECT_EQ(from(false), "");
                EXPECT_EQ(sum, prepared.input.sum());
                const Expectation whole(*task.taskClass, prepared.input, prepared.expectation.shape(), before);
                EXPECT_FALSE(prepared.trial.runResults().mismatchesWith(whole));
                EXPECT_TRUE(prepared.trial.runResults().mismatchesWith(prepared.expectation));
                EXPECT_EQ(from(true), "");
                EXPECT_TRUE(prepared.trial.judgedRun().passed()) << "the input is as it was";
            }
}

// A solution that takes the first element from an earlier run is found even if only that element differs.
TEST(Repetition, OfAPartThatDoesNotGoOnFails)
{
    const auto gpu = openTestGpu();
    constexpr std::uint64_t n = 5000;
    const std::uint32_t kept = Input(Pattern::parse("random"), n, 1).values()[0];
    Task task = taskNamed("scan/lookback");
    task.record = [kept](const RecordRequest& request) {
        RecordAnswer answer = recordedHere(request);
        auto& recording = std::get<Recording>(answer);
        const RecordedTransfer keeps = fillOf(*givenAs(RecordedBuffer::Role::input, recording), 0, kept);
        for (std::size_t i = 1; i < recording.runs.size(); ++i)
            recording.runs[i].commands.insert(recording.runs[i].commands.begin(), keeps);
        return answer;
    };
    Prepared prepared(*gpu, task, n, {64, 4, false});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    const auto from = [&](std::uint32_t before) {
        const Trial::PartStart start{false, [&](std::uint32_t) { return before; }, false};
        const Trial::Repetition done = prepared.trial.repetition(Timer::gpu, 1, &start);
        EXPECT_FALSE(done.sum);
        return !done.verdict.mismatches;
    };
    EXPECT_TRUE(from(0));
    EXPECT_FALSE(from(7));
}

// Among zeros, changes add up to 2^32 - 1 before a quarter of the part, whatever lies before the part.
TEST(Repetition, OfAPartOfZerosGoesOnFromWhatLiesBefore)
{
    const auto gpu = openTestGpu();
    const Task task = taskNamed("scan/lookback");
    const Input input(Pattern::oneHot(3), 5000, 1);
    const Expectation expectation(*task.taskClass, input, {64, 4, false});
    const DeviceInput onDevice(*gpu, expectation);
    Trial trial(*gpu, task, expectation, onDevice);
    ASSERT_TRUE(trial.judgedRun().passed());
    for (const bool sums : {true, false})
        for (int i = 0; i < 4; ++i) {
            const Trial::PartStart start{sums, [](std::uint32_t) { return 77U; }};
            EXPECT_EQ(texts(trial.repetition(Timer::gpu, 1, &start).verdict), "");
        }
}

// A run must leave 0 as the first element of an exclusive scan, which a2 then writes.
TEST(Repetition, OfAnExclusivePartLooksAtItsFirstElement)
{
    const auto gpu = openTestGpu();
    const Task task =
        rightOnce("scan/lookback", [](RecordedRun& run) { run.commands.push_back(fillOf(run.result, 0, 999)); });
    Prepared prepared(*gpu, task, 5000, {64, 4, true});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    const Trial::PartStart start{true, [](std::uint32_t) { return 7U; }};
    const Verdict verdict = prepared.trial.repetition(Timer::gpu, 1, &start).verdict;
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_EQ(verdict.mismatches->expected, 7U);
    EXPECT_EQ(verdict.mismatches->got, 7U + 999);
}

// The sum of an input that an earlier run has changed is not passed on.
TEST(Repetition, OfAPartWhoseInputWasChangedPassesNoSumOn)
{
    const auto gpu = openTestGpu();
    Prepared prepared(*gpu, taskNamed("scan/lookback"), 5000, {64, 4, false});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    const DeviceBuffer& input = prepared.onDevice.input();
    TimedRun(*gpu).run(Timer::host, {}, [&](Commands& cb) { cb.fill(input.region(17, 1), 12345); });
    const Trial::PartStart start{true,
                                 [](std::uint32_t) {
                                     ADD_FAILURE() << "it was passed on";
                                     return 0U;
                                 },
                                 false};
    const std::string found = texts(prepared.trial.repetition(Timer::gpu, 1, &start).verdict);
    EXPECT_NE(found.find("input-modified: the elements of buffer 'input' add up to "), std::string::npos) << found;
}

// A device that starts few work-groups along x has long dispatches folded over y; a digest is not.
TEST(Repetition, OfAPartIsSummedOnceWhereDispatchesAreFolded)
{
    const auto gpu = openTestGpu();
    const WithLowerLimits limited(*gpu, foldsSoon);
    Prepared prepared(*gpu, taskNamed("scan/lookback"), 50000, {64, 4, false});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    EXPECT_EQ(prepared.trial.sumInput(Timer::host).first, prepared.input.sum());
}

// So that the digest of the previous run leaves the cache in the same state as a run does.
TEST(Repetition, OfALongResultComesBehindAnotherRunOnAGpu)
{
    const auto gpu = openTestGpu();
    const Task task = taskNamed("scan/local");  // one dispatch
    const auto dispatches = [&](vk::PhysicalDeviceType type, std::uint64_t n) {
        gpu->properties.deviceType = type;
        Prepared prepared(*gpu, task, n, task.shape);
        EXPECT_TRUE(prepared.trial.judgedRun().passed());
        const DriverCalls calls;
        EXPECT_EQ(texts(prepared.trial.repetition(Timer::gpu).verdict), "");
        return calls.dispatches();
    };
    EXPECT_EQ(dispatches(vk::PhysicalDeviceType::eDiscreteGpu, tooLongToGather), 3U) << "two runs and a digest";
    EXPECT_EQ(dispatches(vk::PhysicalDeviceType::eDiscreteGpu, 5000), 1U);
    EXPECT_EQ(dispatches(vk::PhysicalDeviceType::eCpu, tooLongToGather), 2U);
}

// The first run, which is judged completely, is right, and so is the last one.
TEST(Repetition, ThatDoesNothingFails)
{
    const auto gpu = openTestGpu();
    const std::vector<std::pair<std::string, std::uint64_t>> all = {
        {"reduce/atomic", 5000}, {"scan/local", 5000}, {"scan/work-efficient", 50000}, {"scan/local", tooLongToGather}};
    for (const auto& [id, n] : all) {
        const Task task = rightOnce(id, doNothing);
        Prepared prepared(*gpu, task, n, {64, 4, false});
        SeriesSettings settings = ofThree(1);
        settings.repeat = 5;
        const SeriesResult series = timeSeries(prepared.trial, settings);
        EXPECT_EQ(series.wrongRepetition, 2U) << id;
        ASSERT_TRUE(series.verdict.mismatches) << id;
        EXPECT_EQ(series.hostMs, 0);
        const bool poisoned = series.verdict.mismatches->got == prepared.trial.poison();
        EXPECT_EQ(texts(series.verdict).find("unwritten-output") != std::string::npos, poisoned)
            << texts(series.verdict);
        EXPECT_TRUE(poisoned || n == tooLongToGather) << id << ": a short buffer is poisoned as a whole";
    }
}

// A part of the result keeps the values of the previous run.
TEST(Repetition, ThatLeavesOutASmallPartFails)
{
    const auto gpu = openTestGpu();
    const Task task = rightOnce("scan/local", [](RecordedRun& run) {
        for (RecordedCommand& command : run.commands)
            if (auto* dispatch = std::get_if<RecordedDispatch>(&command))
                dispatch->groups[0] -= dispatch->groups[0] / 10;
    });
    Prepared prepared(*gpu, task, tooLongToGather, {64, 16, false});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    const Verdict verdict = prepared.trial.repetition(Timer::gpu).verdict;
    ASSERT_TRUE(verdict.mismatches);
    EXPECT_GT(verdict.mismatches->firstIndex, tooLongToGather * 85 / 100);
}

TEST(Repetition, AtTheEndOfABatchIsLookedAt)
{
    const auto gpu = openTestGpu();
    Prepared idle(*gpu, rightOnce("scan/local", doNothing), 5000, {64, 4, false});
    ASSERT_TRUE(idle.trial.judgedRun().passed());
    EXPECT_FALSE(idle.trial.repetition(Timer::gpu, 2).verdict.passed()) << "neither of the two did anything";
    Prepared right(*gpu, taskNamed("scan/local"), 5000, {64, 4, false});
    ASSERT_TRUE(right.trial.judgedRun().passed());
    EXPECT_TRUE(right.trial.repetition(Timer::gpu, 2).verdict.passed());
}

TEST(Repetition, SeesWhatIsWrittenBehindABuffer)
{
    const auto gpu = openTestGpu();
    const Task task =
        rightOnce("scan/local", [](RecordedRun& run) { run.commands.push_back(fillOf(run.result, 5000, 0)); });
    Prepared prepared(*gpu, task, 5000, {64, 4, false});
    ASSERT_TRUE(prepared.trial.judgedRun().passed());
    EXPECT_NE(texts(prepared.trial.repetition(Timer::gpu).verdict).find("out-of-bounds"), std::string::npos);
}

// A solution that counts its runs but does its work is right.
TEST(Repetition, OfACountingSolutionPasses)
{
    const TaskOutcome outcome = counted("total = 0;", 1000000);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
}

// With the same input, the kept sum would be right.
TEST(Repetition, ThatTakesWhatAnEarlierOneKeptFails)
{
    const TaskOutcome outcome = counted("total = kept[1];", 13);
    EXPECT_EQ(outcome.status, Status::failed);
    EXPECT_NE(explanation(outcome).find("stale-state: repetition 5 of 12: it passed before"), std::string::npos)
        << explanation(outcome);
}

TEST(Repetition, ThatLeavesTheWorkOutFromSomeRunOnFails)
{
    const std::vector<std::pair<unsigned, std::string>> all = {
        {6, "stale-state: right for the same input again, but after zeros element 0 is wrong"},
        {13, "stale-state: repetition 5 of 12: it passed before"},
        {20, "it passed before it was timed"}};  // the last repetition
    for (const auto& [honest, told] : all) {
        const TaskOutcome outcome = counted("", honest);
        EXPECT_EQ(outcome.status, Status::failed) << honest;
        EXPECT_NE(explanation(outcome).find(told), std::string::npos) << explanation(outcome);
    }
}

}  // namespace a2
