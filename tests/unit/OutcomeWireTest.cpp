// Outcomes pass completely from the device's process to the one that writes reports: the reports of both are the same.

#include "a2/Error.h"
#include "judge/OutcomeWire.h"
#include "report/Console.h"
#include "report/Explanation.h"
#include "report/Report.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>

namespace a2 {

namespace {

// Every field has another value than its default.
TaskOutcome fullOutcome()
{
    Benchmark benchmark;
    benchmark.n = 1 << 20;
    benchmark.shape = {128, 8, true, 4, 16};
    benchmark.batch = 20;
    benchmark.inFlight = 4;
    benchmark.timer = Timer::host;
    benchmark.ms = {3, 0.5, 0.75, 1.5, 0.8, {0.75, 0.5, 1.5}, 0.1};
    benchmark.hostMs = 2.25;
    benchmark.whole = {0.1, 0.2, 0.3, 0.4, 0.6};
    benchmark.cpuMs = 3.5;
    benchmark.cpuAllMs = 1.75;
    benchmark.minimumTraffic = std::uint64_t{1} << 40;
    benchmark.nameSuffix = "/wg:128";

    CaseOutcome one;
    one.n = std::numeric_limits<std::uint64_t>::max();
    one.pattern = "file:\xFFnot UTF-8";
    one.seed = 77;
    one.shape = {64, 4, true, 2, 8};
    one.status = Status::crashed;
    one.deviceFailed = true;
    one.mismatches = Mismatches{3, 5, 4294967295U, 7};
    one.limit = LowerLimits{7, 9};
    one.findings = {{"missing-barrier", "dispatch 1 reads", 1, Severity::failure, "a cause"},
                    {"", "no rule", {}},
                    {"empty-dispatch", "of no use", 2, Severity::note}};
    one.place = {"A2Task2Naive.comp", 17, "recording run 2"};
    one.benchmark = benchmark;

    TaskOutcome outcome;
    outcome.task = selectTasks({"scan/naive"}, false).front();
    outcome.status = Status::timeout;
    outcome.cases = {one, CaseOutcome()};
    outcome.single = true;
    Diagnosis& diagnosis = outcome.diagnosis.emplace();
    diagnosis.smallest = one;
    diagnosis.contributions = Contributions{9, 8, true, 7, {0, 1, 2}, {4}, {5}, {6}};
    diagnosis.firstWrong = WrongStep{3, "a label", {"a buffer", 7, 8, 9, true}, 11, {}, {}, "it repeats"};
    diagnosis.remark = "a remark";
    diagnosis.command = "a2 steps scan/naive";
    diagnosis.rightSubgroups = 32;
    diagnosis.ownSubgroups = 8;
    diagnosis.passesAlone = true;
    diagnosis.passesCourse = true;
    outcome.method = {{"one dispatch per step", false, "3 dispatches", "A2Task2Naive.comp", 7}};
    outcome.recorded = {"dispatch A2Task2Naive 1 x 1 x 1"};
    outcome.unwritten = "shaders/A2Task2Naive.comp";
    return outcome;
}

TaskOutcome sent(const TaskOutcome& outcome)
{
    return taskOutcomeFrom(nlohmann::json::from_cbor(nlohmann::json::to_cbor(wireOf(outcome))));
}

}  // namespace

TEST(OutcomeWire, ReportsAreTheSameOnBothSides)
{
    const TaskOutcome here = fullOutcome(), there = sent(here);
    ReportContext context;
    EXPECT_EQ(jsonReport(context, {here}), jsonReport(context, {there}));
    EXPECT_EQ(benchCsvReport({here}, 2), benchCsvReport({there}, 2));
    EXPECT_EQ(junitReport({here}), junitReport({there}));
    EXPECT_EQ(outcomeText(here, {}), outcomeText(there, {}));
    const CaseOutcome &one = here.cases[0], &other = there.cases[0];
    EXPECT_EQ(one.shape, other.shape);
    EXPECT_EQ(one.benchmark->shape, other.benchmark->shape);
    EXPECT_EQ(one.benchmark->ms.mean, other.benchmark->ms.mean);
    EXPECT_EQ(one.findings, other.findings);
    EXPECT_EQ(one.limit, other.limit);
    EXPECT_EQ(one.place.phase, other.place.phase);
    EXPECT_EQ(explanationLines(here), explanationLines(there));
    EXPECT_EQ(here.diagnosis->contributions->garbage, there.diagnosis->contributions->garbage);
    EXPECT_EQ(here.diagnosis->firstWrong->first.neverWritten, there.diagnosis->firstWrong->first.neverWritten);
    EXPECT_EQ(here.method.at(0).evidence, there.method.at(0).evidence);
    EXPECT_EQ(here.method.at(0).file, there.method.at(0).file);
    EXPECT_EQ(here.method.at(0).line, there.method.at(0).line);
    EXPECT_EQ(here.recorded, there.recorded);
    EXPECT_EQ(here.unwritten, there.unwritten);
    EXPECT_TRUE(there.deviceFailed());
    EXPECT_FALSE(there.cases[1].deviceFailed || there.cases[1].mismatches || there.cases[1].benchmark);
    EXPECT_EQ(there.task.hostFile, here.task.hostFile) << "the row itself is known on both sides";
}

TEST(OutcomeWire, HasTheContextToo)
{
    ReportContext context = describeContext("a2 bench -n 5", 5, Timer::host);
    context.deviceName = "a device";
    context.deviceType = "a type";
    context.driver = "a driver";
    context.api = "1.3.9";
    context.subgroup = 8;
    context.limits.maxStorageBufferRange = 12345;
    context.limits.maxComputeWorkGroupCount[2] = 17;
    context.limits.timestampPeriod = 2.5F;
    const ReportContext there = contextFrom(nlohmann::json::from_cbor(nlohmann::json::to_cbor(wireOf(context))));
    EXPECT_EQ(jsonReport(context, {}), jsonReport(there, {}));
    EXPECT_EQ(there.limits, context.limits);
}

TEST(OutcomeWire, RefusesWhatIsNone)
{
    EXPECT_THROW(taskOutcomeFrom(nlohmann::json::object()), nlohmann::json::exception);
    EXPECT_THROW(caseOutcomeFrom("no object"), nlohmann::json::exception);
    nlohmann::json unknown = wireOf(fullOutcome());
    unknown["task"] = "no/such-row";
    EXPECT_THROW(taskOutcomeFrom(unknown), Error);
}

}  // namespace a2
