// Verdicts on the steps of a run.

#include "GpuFixture.h"
#include "judge/StepModel.h"
#include "judge/Trial.h"
#include "lint/Rules.h"
#include "report/RulesPage.h"

#include <sstream>

namespace a2 {

namespace {

TaskOutcome steps(Device& gpu, const Task& task, std::uint64_t n, StepsOutcome& found)
{
    EvaluationSettings settings;
    settings.size = n;
    settings.workGroup = 4;
    settings.elements = 2;
    Evaluator evaluator(gpu, settings, [](const std::string&) {});
    return evaluator.steps(task, {}, found);
}

}  // namespace

// Interleaved's host code and kernel in Sequential's row: the sum is right, but in another order.
TEST(StepVerdicts, ADifferentOrderOfWorkIsUncheckedAndPasses)
{
    const auto gpu = openTestGpu();
    Task task = taskNamed("reduce/sequential");
    task.factory = "Interleaved";
    task.shaders = taskNamed("reduce/interleaved").shaders;
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
    task.scheme.steps = StepModel::none;
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

// With one element, a hundred dispatches leave it unchanged; the task needs none. 16 to the power of 16 is more than 64
// bits hold.
TEST(StepVerdicts, GoAlongWithMoreDispatchesThanTheTaskHas)
{
    for (const char* const row : {"reduce/interleaved", "reduce/sequential", "scan/naive"}) {
        Recording recording;
        recording.count = 1;
        recording.shape = {4, 16, false};
        recording.buffers = {{"input", sizeof(std::uint32_t), RecordedBuffer::Role::input}};
        const Task task = taskNamed(row);
        StepJudge judge(task, recording, true);
        BoundBuffer input;
        input.writes = true;
        input.range = sizeof(std::uint32_t);
        DispatchCommand dispatch;
        dispatch.buffers = {input};
        const Contents same = {{0, {7}}};
        EXPECT_EQ(judge.judge(dispatch, same, same).verdict, StepVerdict::ok) << row;
        for (unsigned i = 0; i < 100; ++i) {
            const StepJudgement judgement = judge.judge(dispatch, same, same);
            EXPECT_NE(judgement.verdict, StepVerdict::wrong) << row;
            for (const ExpectedElements& one : judgement.expected) EXPECT_EQ(one.values.size(), 1U) << row;
        }
    }
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
    options.record = recordedHere;
    options.device = "cpu";
    options.plainAtomics = true;
    const OpenDevice opened = openDevice(options);
    Device& gpu = *opened;
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
    // Judged as a scan, a sum is wrong.
    task.record = [](RecordRequest request) {
        request.factory = "Subgroup";
        request.shaders = taskNamed("reduce/subgroup").shaders;
        return recordedHere(request);
    };
    task.elementsUnit = 2;
    EXPECT_EQ(steps(*gpu, task, 32, found).status, Status::failed);
    ASSERT_EQ(found.steps.size(), 1U);
    EXPECT_EQ(found.steps[0].judgement.verdict, StepVerdict::wrong);
}

TEST(Rules, HaveOneNameAndOneCureEach)
{
    std::set<std::string> names;
    for (const Rule& one : allRules()) {
        EXPECT_TRUE(names.insert(one.name).second) << one.name;
        EXPECT_EQ(ruleOf(one.name), &one);
        EXPECT_GT(std::string(one.cure).size(), 10U) << one.name;
    }
    EXPECT_EQ(ruleOf("validation"), nullptr);
}

// Once for each rule, unless the line itself contains it; a note is no fault and needs no cure.
TEST(Rules, HaveAMeaningAnExampleAndACure)
{
    for (const Rule& rule : allRules()) {
        const auto text = explainRule(rulesPage(), rule.name, 80);
        ASSERT_TRUE(text) << rule.name;
        const bool fails = rule.severity == Severity::failure;
        EXPECT_NE(text->find(fails ? "Fails" : "A note"), std::string::npos) << *text;
        EXPECT_EQ(text->find("**"), std::string::npos) << *text;
        EXPECT_EQ(text->find("]("), std::string::npos) << *text;
        const std::size_t example = text->find("\nWrong, for example:\n    "), cure = text->find("\nMend it: ");
        EXPECT_LT(example, cure) << *text;
        EXPECT_NE(cure, std::string::npos) << *text;
        std::istringstream lines(*text);
        for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
    }
    EXPECT_FALSE(explainRule(rulesPage(), "no-such-rule", 80));
}

TEST(Rules, EndAFindingWithItsCure)
{
    const std::vector<Finding> found = {{"input-modified", "a", 0},
                                        {"input-modified", "b", 1},
                                        {"missing-barrier", "c", {}},
                                        {"method", "d", {}, Severity::note}};
    const std::string cure = ruleOf("input-modified")->cure;
    EXPECT_EQ(linesOf(found), (std::vector<std::string>{"input-modified: a; " + cure, "input-modified: b",
                                                        "missing-barrier: c", "note: method: d"}));
}

}  // namespace a2
