// Every known-bad solution is rejected, for its known reason and at its known dispatch, and no correct one is rejected.

#include "KnownBad.h"
#include "gpu/BuiltInShaders.h"
#include "lint/Rules.h"
#include "support/LettersOf.h"
#include "unit/GpuFixture.h"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace a2 {

namespace {

struct Seen {
    TaskOutcome outcome;
    StepsOutcome steps;
};

Seen walk(Device& gpu, const Task& task, std::uint64_t n, std::optional<KernelShape> shape,
          const std::string& pattern = "random")
{
    EvaluationSettings settings;
    settings.size = n;
    settings.pattern = Pattern::parse(pattern);
    if (shape) {
        settings.workGroup = shape->workGroup;
        settings.elements = shape->elements;
        settings.exclusive = shape->exclusive;
    }
    Evaluator evaluator(gpu, settings, [](const std::string&) {});
    Seen seen;
    seen.outcome = evaluator.steps(task, {}, seen.steps);
    return seen;
}

// Why a solution cannot be judged; empty if it can.
std::string problemOf(const BadSolution& bad)
{
    if (!bad.problem.empty()) return bad.name + " " + bad.problem;
    if (!bad.shaderDir.empty() || !bad.exchanges.empty()) return "";
    return bad.name + " no longer applies to " + bad.file +
           ": it does not compile, or no row has a factory of that file (change tests/known-bad/variants_*.py)";
}

// Gives the row the changed solution; for rows of other files it does nothing and returns false.
bool exchanges(const BadSolution& bad, Task& row)
{
    for (const Exchange& one : bad.exchanges) {
        if (one.factory != row.factory) continue;
        row.record = [one](const RecordRequest& request) {
            const FactoryEntry changed{one.factory, one.changed};
            return recordSolution(request, makeSolution(request, &changed));
        };
        return true;
    }
    return false;
}

Task badRow(const BadSolution& bad, const std::string& id)
{
    Task task = taskNamed(id);
    if (bad.shaderDir.empty() && !exchanges(bad, task))
        throw std::logic_error("row " + id + " is not made by " + bad.file + ": " + bad.name + " cannot be tried");
    return task;
}

// A removed barrier, and a row that uses it.
struct RemovedOfRow {
    BadSolution solution;
    std::string task;  // empty: no such row is known
};

void PrintTo(const RemovedOfRow& bad, std::ostream* stream) { *stream << bad.solution.name << " of " << bad.task; }

bool usesKernel(const Task& row, const std::string& file)
{
    for (const BuiltInShader& kernel : builtInShaders())
        if (std::find(row.shaders.begin(), row.shaders.end(), kernel.name) != row.shaders.end())
            for (const SourceFile& source : kernel.sources)
                if ("shaders/" + std::string(source.name) == file) return true;
    return false;
}

std::vector<RemovedOfRow> removedOfRows()
{
    std::vector<RemovedOfRow> all;
    for (const BadSolution& one : removedBarriers()) {
        const std::size_t before = all.size();
        for (Task row : allTasks()) {
            const bool host = one.shaderDir.empty();
            // The scan of each tile stops after one dispatch, so it records none of its file's barriers.
            if (host && row.taskClass == &TaskClass::localScan) continue;
            if (host ? exchanges(one, row) : usesKernel(row, one.file)) all.push_back({one, row.id});
        }
        if (all.size() == before) all.push_back({one, ""});
    }
    return all;
}

// A device that binds at most 64 tiles.
OpenDevice openBindingLittle(const KernelShape& shape, const std::string& shaderDir = "")
{
    GpuOptions options;
    options.record = recordedHere;
    options.device = "cpu";
    options.shaderDir = shaderDir;
    options.bindingLimit =
        static_cast<std::uint32_t>(DeviceBuffer::sliceAlignment * shape.tile() * sizeof(std::uint32_t));
    return openDevice(options);
}

// The assignment's shape, or the nearest one that the task supports.
KernelShape smallShape(const Task& task, std::uint32_t workGroup = 64, bool exclusive = false)
{
    return {workGroup, task.elementsUnit, exclusive};
}

Seen walk(Device& gpu, const Variant& bad)
{
    return walk(gpu, badRow(bad.solution, bad.task), bad.n, KernelShape{bad.workGroup, bad.elements, false},
                bad.pattern);
}

std::string number(std::optional<std::uint64_t> dispatch)
{
    return dispatch ? "dispatch " + std::to_string(*dispatch) : "no dispatch";
}

std::optional<std::uint64_t> firstWrong(const Seen& seen)
{
    const Step* wrong = seen.steps.firstWrong();
    return wrong ? std::optional(wrong->dispatch.index) : std::nullopt;
}

// Empty if this is the known verdict of the variant.
std::string objection(const Variant& known, const Seen& seen)
{
    if (known.rule == statusText(seen.outcome.status)) return "";
    if (seen.outcome.status != Status::failed) return std::string("it ") + statusText(seen.outcome.status);
    const CaseOutcome& only = seen.outcome.cases.at(0);
    const auto finding = [&](const auto& wanted) {
        const auto found = std::find_if(only.findings.begin(), only.findings.end(), wanted);
        return found == only.findings.end() ? nullptr : &*found;
    };
    if (ruleOf(known.rule)) {
        const Finding* found = finding([&](const Finding& one) { return one.rule == known.rule; });
        if (!found) return "no finding of rule " + known.rule;
        return found->dispatch == known.dispatch ? "" : known.rule + " names " + number(found->dispatch);
    }
    const bool remarked =
        known.rule == "value" || known.rule == "unfinished" || known.rule == "elsewhere" || known.rule == "result";
    if (!remarked)
        return finding([&](const Finding& one) {
            return one.rule.empty() && one.message.find(known.rule) != std::string::npos;
        })
                   ? ""
                   : "nothing says: " + known.rule;
    if (!only.mismatches) return "its result is right";
    if (firstWrong(seen) != known.dispatch) return "the first wrong one is " + number(firstWrong(seen));
    const auto& remark = seen.steps.remark;
    if (known.rule == "unfinished" && !remark.starts_with("a dispatch is missing")) return "the remark is: " + remark;
    if (known.rule == "elsewhere" && remark.find("and result() returns") == std::string::npos)
        return "the remark is: " + remark;
    return "";
}

std::string nameOf(const testing::TestParamInfo<Variant>& info) { return info.param.solution.name; }

std::string nameOfRemoved(const testing::TestParamInfo<RemovedOfRow>& info)
{
    return lettersOf(info.param.task + info.param.solution.name);
}

bool hasBarrier(const Step& step) { return !step.barriers.empty(); }

bool saysMissing(const Seen& seen, std::uint64_t dispatch)
{
    const auto findings = lintFindings(seen.outcome);
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& one) { return one.rule == "missing-barrier" && one.dispatch == dispatch; });
}

}  // namespace

void PrintTo(const Variant& variant, std::ostream* stream) { *stream << variant.solution.name; }
void PrintTo(const Task& task, std::ostream* stream) { *stream << task.id; }

class KnownBad : public testing::TestWithParam<Variant> {};

TEST_P(KnownBad, IsJudgedAsNamed)
{
    const Variant& known = GetParam();
    ASSERT_EQ(problemOf(known.solution), "");
    const auto gpu = known.sliced
                         ? openBindingLittle({known.workGroup, known.elements, false}, known.solution.shaderDir)
                         : openTestGpu(known.solution.shaderDir);
    const Seen seen = walk(*gpu, known);
    EXPECT_EQ(objection(known, seen), "") << explanation(seen.outcome);
}

INSTANTIATE_TEST_SUITE_P(, KnownBad, testing::ValuesIn(variants()), nameOf);

// An array of two slices is too long for a test, and students have none either: `run` uses short ones instead.
TEST(KnownBadSuite, WhatIsWrongInSlicesAloneFailsInRun)
{
    const auto gpu = openTestGpu();
    EvaluationSettings settings;
    settings.size = 5000;
    settings.repeat = 1;
    std::size_t tried = 0;
    for (const Variant& known : variants()) {
        if (!known.sliced) continue;
        Evaluator evaluator(*gpu, settings, [](const std::string&) {});
        EXPECT_EQ(evaluator.run(badRow(known.solution, known.task)).status, Status::failed) << known.solution.name;
        ++tried;
    }
    EXPECT_GT(tried, 0U);
}

// The tests above can fail: they distinguish an unchanged row, another rule, and another dispatch.
TEST(KnownBadSuite, ObjectsToWhatIsNotAsNamed)
{
    const auto gpu = openTestGpu();
    for (Variant known : variants()) {
        if (known.solution.exchanges.empty() || known.task != "reduce/interleaved") continue;
        const Seen seen = walk(*gpu, known);
        ASSERT_EQ(objection(known, seen), "") << known.solution.name;
        const std::string rule = known.rule;
        for (const char* other : {"unfinished", "elsewhere", "weak-barrier", "empty-dispatch", "some text"}) {
            known.rule = other;
            EXPECT_EQ(objection(known, seen).empty(), rule == other) << known.solution.name << ", " << other;
        }
        known.rule = rule;
        if (known.dispatch) {
            ++*known.dispatch;
            EXPECT_NE(objection(known, seen), "") << known.solution.name;
        }
        const KernelShape shape{known.workGroup, known.elements, false};
        EXPECT_EQ(objection(known, walk(*gpu, taskNamed(known.task), known.n, shape, known.pattern)), "it passed")
            << known.solution.name;
    }
}

// For kernels that go wrong in shared memory, the phase is named; for others no phase is.
TEST(KnownBadSuite, NamesThePhase)
{
    std::map<std::string, std::string> phases = {
        {"LocalShaderRootNotCleared", "phase 8 of work-group 0"},
        {"LocalShaderDownSweepSkipsALevel", "phase 9 of work-group 0"},
        {"LocalShaderDownSweepForgetsTheLeftChild", "phase 8 of work-group 0"},
        {"LocalShaderExclusiveForInclusive", ""},
        {"LocalShaderTail", ""},
        {"WorkEfficientLastTileWithoutOffset", ""},
        {"KoggeStoneShaderFirstStepLeftOut", "phase 2 of work-group 0"},
        {"KoggeStoneShaderOffByOne", "phase 2 of work-group 0"},
        {"BrentKungShaderDownStartsLow", "phase 8 of work-group 0"},
        {"BrentKungShaderUpTooShort", "phase 7 of work-group 0"},
        {"LocalModuloShaderWrongRemainder", "phase 1 of work-group 0"},
        {"LocalModuloShaderTail", "phase 0 of work-group 7"},
    };
    for (const Variant& known : variants()) {
        const auto named = phases.find(known.solution.name);
        if (named == phases.end()) continue;
        const auto gpu = openTestGpu(known.solution.shaderDir);
        EXPECT_EQ(walk(*gpu, known).steps.phase, named->second) << known.solution.name;
        phases.erase(named);
    }
    for (const auto& [name, phase] : phases) ADD_FAILURE() << name << " is no variant";
}

TEST(KnownBadSuite, HasAllRowsAndRules)
{
    std::map<std::string, int> rows;
    std::set<std::string> rules;
    for (const Variant& one : variants()) {
        if (one.rule == "passed") continue;
        ++rows[one.task];
        rules.insert(one.rule);
    }
    // A row that is added later needs none.
    for (const auto& [id, count] : rows) EXPECT_GE(count, 5) << id;
    // These rules concern other devices than the one of these tests, right results, or floats: EmulatorTest,
    // MethodTest, NotWalkedTest and ElementTypeTest test them.
    const std::set<std::string> elsewhere = {"subgroup-size", "group-order",     "forward-progress", "method",
                                             "not-walked",    "promised-limits", "rounding"};
    for (const Rule& rule : allRules()) EXPECT_NE(rules.count(rule.name), elsewhere.count(rule.name)) << rule.name;
}

TEST(KnownBadSuite, ExcusesNoBarrierThatIsNotThere)
{
    for (const std::string& one : staleExcuses()) ADD_FAILURE() << one << ": change SEEN_BY_NOBODY in variants.py";
}

class RemovedBarrier : public testing::TestWithParam<RemovedOfRow> {};

TEST_P(RemovedBarrier, IsFound)
{
    const BadSolution& bad = GetParam().solution;
    ASSERT_EQ(problemOf(bad), "");
    ASSERT_NE(GetParam().task, "") << "no row is known that uses the barrier which " << bad.name << " removes from "
                                   << bad.file;
    const Task task = badRow(bad, GetParam().task), right = taskNamed(GetParam().task);
    if (bad.shaderDir.empty()) {
        // Host code: missing at each dispatch that had a barrier before it and now has none. Some rows only have
        // several dispatches for long arrays.
        const bool sliced = right.scheme.steps == StepModel::sum || right.scheme.steps == StepModel::scan;
        const KernelShape shape = smallShape(right);
        const auto gpu = sliced ? openBindingLittle(shape) : openTestGpu();
        const std::uint64_t slice = DeviceBuffer::sliceAlignment * shape.tile();
        const std::vector<std::uint64_t> lengths =
            sliced ? std::vector{slice + 1, 2 * slice, 3 * slice + 1} : std::vector<std::uint64_t>{1000, 4097, 20000};
        for (const std::uint64_t n : lengths) {
            const Seen with = walk(*gpu, right, n, shape), without = walk(*gpu, task, n, shape);
            ASSERT_EQ(with.outcome.status, Status::passed);
            ASSERT_EQ(with.steps.steps.size(), without.steps.steps.size());
            std::size_t removed = 0;
            for (std::size_t i = 0; i < with.steps.steps.size(); ++i) {
                const bool gone = hasBarrier(with.steps.steps[i]) && !hasBarrier(without.steps.steps[i]);
                removed += gone;
                EXPECT_EQ(saysMissing(without, i), gone) << "n = " << n << ", dispatch " << i;
            }
            EXPECT_GT(removed, 0U) << "n = " << n;
        }
        return;
    }
    // A kernel: found in one of these shapes; a work-group of one subgroup, or an invocation of two elements, may not
    // need the barrier.
    const auto gpu = openTestGpu(bad.shaderDir);
    for (const auto& shape : {task.shape, smallShape(task), smallShape(task, 256)})
        if (walk(*gpu, task, 4097, shape).outcome.status == Status::failed) return;
    // Or found on another device than this one, as a2 check simulates it.
    EvaluationSettings settings;
    settings.onlySize = 1025;
    settings.workGroup = 64;
    settings.elements = task.elementsUnit;
    const auto checked = Evaluator(*gpu, settings, [](const std::string&) {}).check({task}, {});
    EXPECT_EQ(checked.front().status, Status::failed) << "no shape shows it";
}

INSTANTIATE_TEST_SUITE_P(, RemovedBarrier, testing::ValuesIn(removedOfRows()), nameOfRemoved);

class CorrectRow : public testing::TestWithParam<Task> {};

TEST_P(CorrectRow, HasNoFinding)
{
    const Task& task = GetParam();
    const auto gpu = openTestGpu();
    std::vector<KernelShape> shapes = {task.shape, smallShape(task)};
    if (task.taskClass->hasExclusive) {
        shapes.push_back({task.shape.workGroup, task.shape.elements, true});
        shapes.push_back(smallShape(task, 64, true));
    }
    for (const KernelShape& shape : shapes)
        for (const std::uint64_t n : {1U, 2U, 3U, 1000U, 4096U, 65537U}) {
            SCOPED_TRACE("n = " + std::to_string(n) + ", work-group " + std::to_string(shape.workGroup));
            const Seen seen = walk(*gpu, task, n, shape);
            EXPECT_EQ(seen.outcome.status, Status::passed) << explanation(seen.outcome);
            EXPECT_TRUE(seen.outcome.cases.at(0).findings.empty());
            // In a class with its own steps, only its kernels know the values between the steps.
            for (const Step& step : seen.steps.steps)
                EXPECT_TRUE(step.judgement.verdict == StepVerdict::ok ||
                            (task.taskClass->nearestStep && step.judgement.verdict == StepVerdict::unchecked))
                    << "dispatch " << step.dispatch.index;
        }
}

INSTANTIATE_TEST_SUITE_P(, CorrectRow, testing::ValuesIn(allTasks()),
                         [](const testing::TestParamInfo<Task>& row) { return lettersOf(row.param.id); });

}  // namespace a2
