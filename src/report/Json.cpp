#include "base/BuildFacts.h"
#include "files/ProjectCommit.h"
#include "lint/Rules.h"
#include "report/Explanation.h"
#include "report/PhasesText.h"
#include "report/RanksTable.h"
#include "report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>

namespace a2 {

namespace {

using Json = nlohmann::ordered_json;

const char* timerText(Timer timer) { return timer == Timer::gpu ? "gpu" : "host"; }

Json contextJson(const ReportContext& context)
{
    const vk::PhysicalDeviceLimits& limits = context.limits;
    Json json = {
        {"date", context.date},
        {"host", context.host},
        {"build_type", context.buildType},
        {"compiler", context.compiler},
        {"version", buildFacts.version},
        {"commit", nullptr},
        {"command", context.command},
        {"seed", context.seed},
        {"timer", timerText(context.timer)},
        {"device",
         {{"name", context.deviceName},
          {"type", context.deviceType},
          {"driver", context.driver},
          {"api", context.api},
          {"subgroup", context.subgroup},
          {"limits",
           {{"max_storage_buffer_range", limits.maxStorageBufferRange},
            {"max_compute_shared_memory_size", limits.maxComputeSharedMemorySize},
            {"max_compute_work_group_invocations", limits.maxComputeWorkGroupInvocations},
            {"max_compute_work_group_count",
             {limits.maxComputeWorkGroupCount[0], limits.maxComputeWorkGroupCount[1],
              limits.maxComputeWorkGroupCount[2]}},
            {"max_push_constants_size", limits.maxPushConstantsSize},
            {"timestamp_period_ns", limits.timestampPeriod}}}}},
    };
    if (const std::string commit = projectCommit(); !commit.empty()) json["commit"] = commit;
    json["copy_peak_GBps"] = context.copyPeakGBps > 0 ? Json(context.copyPeakGBps) : Json();
    return json;
}

// JSON has no numbers for "nan" and "inf".
Json numberJson(std::uint32_t number, const ElementType& element)
{
    if (!element.isSigned) return number;
    const std::string text = element.text(number);
    return Json::accept(text) ? Json::parse(text) : Json(text);
}

Json caseJson(const CaseOutcome& one, const ElementType& element)
{
    Json json = {{"n", one.n},
                 {"pattern", one.pattern},
                 {"seed", one.seed},
                 {"workgroup", one.shape.workGroup},
                 {"elements", one.shape.elements},
                 {"status", statusText(one.status)},
                 {"expected", nullptr},
                 {"got", nullptr},
                 {"first_index", nullptr},
                 {"mismatches", one.mismatches ? one.mismatches->count : 0}};
    if (one.mismatches) {
        json["expected"] = numberJson(one.mismatches->expected, element);
        json["got"] = numberJson(one.mismatches->got, element);
        json["first_index"] = one.mismatches->firstIndex;
    }
    if (const auto lines = failureLines(one.findings); !lines.empty()) json["findings"] = lines;
    return json;
}

Json lintJson(const Finding& finding)
{
    Json json = {{"rule", finding.rule},
                 {"severity", finding.severity == Severity::note ? "note" : "failure"},
                 {"dispatch", nullptr},
                 {"message", finding.message}};
    if (finding.dispatch) json["dispatch"] = *finding.dispatch;
    if (const Rule* const rule = ruleOf(finding.rule)) json["cure"] = rule->cure;
    return json;
}

// The dispatch at fault: the first that left wrong elements, or the first that a finding names.
std::optional<std::uint64_t> blamedDispatch(const TaskOutcome& outcome)
{
    if (outcome.diagnosis && outcome.diagnosis->firstWrong) return outcome.diagnosis->firstWrong->dispatch;
    for (const Finding& finding : outcome.firstFailure()->findings)
        if (finding.dispatch) return finding.dispatch;
    return std::nullopt;
}

// Null for a task that did not fail; unknown values are null, too.
Json diagnosisJson(const TaskOutcome& outcome)
{
    const CaseOutcome* failure = outcome.firstFailure();
    if (!failure) return {};
    Json json = {{"smallest_n", nullptr}, {"never_added", nullptr}, {"added_twice", nullptr}, {"dispatch", nullptr},
                 {"buffer", nullptr},     {"element", nullptr},     {"file", nullptr},        {"line", nullptr},
                 {"phase", nullptr},      {"command", nullptr}};
    if (const auto dispatch = blamedDispatch(outcome)) json["dispatch"] = *dispatch;
    if (!failure->place.file.empty()) json["file"] = failure->place.file;
    if (failure->place.line) json["line"] = *failure->place.line;
    if (!failure->place.phase.empty()) json["phase"] = failure->place.phase;
    if (outcome.diagnosis && outcome.diagnosis->firstWrong && !outcome.diagnosis->firstWrong->phase.empty())
        json["phase"] = outcome.diagnosis->firstWrong->phase;
    if (!outcome.diagnosis) return json;
    const Diagnosis& found = *outcome.diagnosis;
    if (found.smallest) json["smallest_n"] = found.smallest->n;
    if (found.contributions) {
        json["never_added"] = found.contributions->never;
        json["added_twice"] = found.contributions->repeated;
    }
    if (found.firstWrong) {
        json["buffer"] = found.firstWrong->first.buffer;
        json["element"] = found.firstWrong->first.index;
    }
    if (!found.command.empty()) json["command"] = found.command;
    return json;
}

Json printedLinesJson(const std::vector<PrintedLine>& lines)
{
    Json all = Json::array();
    for (const PrintedLine& one : lines) {
        all.push_back({{"dispatch", one.dispatch},
                       {"label", one.label},
                       {"file", nullptr},
                       {"line", nullptr},
                       {"group", one.group},
                       {"phase", one.phase},
                       {"invocation", one.invocation},
                       {"text", one.text},
                       {"wrong", one.wrong}});
        if (one.line == 0) continue;
        all.back()["file"] = one.file;
        all.back()["line"] = one.line;
    }
    return all;
}

Json printedJson(const PrintedRun& printed)
{
    return {{"n", printed.n},
            {"workgroup", printed.shape.workGroup},
            {"elements", printed.shape.elements},
            {"pattern", printed.pattern},
            {"lines", printedLinesJson(printed.lines)},
            {"more", printed.more},
            {"cut", printed.cut.empty() ? Json() : Json(printed.cut)}};
}

Json testJson(const TaskOutcome& outcome)
{
    Json cases = Json::array(), lint = Json::array(), method = Json::array();
    for (const MethodCriterion& one : outcome.method)
        method.push_back({{"criterion", one.criterion}, {"met", one.met}, {"evidence", one.evidence}});
    for (const CaseOutcome& one : outcome.cases) cases.push_back(caseJson(one, *outcome.task.element));
    for (const Finding& finding : lintFindings(outcome)) lint.push_back(lintJson(finding));
    Json json = {{"id", outcome.task.id},
                 {"label", outcome.task.consoleLabel()},
                 {"points", outcome.task.points},
                 {"status", statusText(outcome.status)},
                 {"diagnosis", diagnosisJson(outcome)},
                 {"method", method},
                 {"cases", cases},
                 {"lint", lint}};
    if (const auto lines = reportLines(outcome); !lines.empty()) json["explanation"] = lines;
    if (outcome.task.element != &ElementType::uint32) json["type"] = outcome.task.element->name;
    if (!outcome.recorded.empty()) json["recorded"] = outcome.recorded;
    if (outcome.printed && !outcome.printed->onDevice) json["printed"] = printedJson(*outcome.printed);
    return json;
}

double microseconds(double ms) { return ms * 1e3; }

// For an array that several ranks shared.
Json ranksJson(const TaskOutcome& outcome, const Benchmark& benchmark)
{
    const auto speedUp = speedUpOf(outcome, benchmark);
    Json json = partsJson(benchmark.parts, benchmark.exchangeMs);
    json["speed_up"] = speedUp ? Json(speedUp->times) : Json();
    json["efficiency"] = speedUp ? Json(speedUp->efficiency) : Json();
    return json;
}

// The keys of Google Benchmark first, so that its compare tool reads the file. The tool shows no decimals: hence
// microseconds. Its cpu_time is the host's clock here.
Json benchmarkJson(const TaskOutcome& outcome, const Benchmark& benchmark, double copyPeakGBps)
{
    const Task& task = outcome.task;
    const double seconds = benchmark.ms.median / 1e3;
    const auto perSecond = [&](double amount) { return seconds > 0 ? amount / seconds : 0; };
    const double bytesPerSecond = perSecond(static_cast<double>(benchmark.minimumTraffic));
    const std::string type = task.element == &ElementType::uint32 ? "" : fmt::format("/{}", task.element->name);
    Json json = {{"name", fmt::format("{}/{}{}{}", task.id, benchmark.n, benchmark.nameSuffix, type)},
                 {"run_type", "iteration"},
                 {"iterations", benchmark.ms.count},
                 {"real_time", microseconds(benchmark.ms.median)},
                 {"cpu_time", microseconds(benchmark.hostMs)},
                 {"time_unit", "us"},
                 {"items_per_second", perSecond(static_cast<double>(benchmark.n))},
                 {"bytes_per_second", bytesPerSecond},
                 {"n", benchmark.n},
                 {"workgroup", benchmark.shape.workGroup},
                 {"elements", benchmark.shape.elements},
                 {"batch", benchmark.batch},
                 {"in_flight", benchmark.inFlight},
                 {"bytes", benchmark.minimumTraffic},
                 {"timer", timerText(benchmark.timer)},
                 {"min_ms", benchmark.ms.min},
                 {"median_ms", benchmark.ms.median},
                 {"max_ms", benchmark.ms.max},
                 {"cv", benchmark.ms.cv},
                 {"host_ms", benchmark.hostMs},
                 {"whole_ms", benchmark.whole.sum()},
                 {"allocate_ms", benchmark.whole.allocateMs},
                 {"upload_ms", benchmark.whole.uploadMs},
                 {"prepare_ms", benchmark.whole.prepareMs},
                 {"launch_ms", benchmark.whole.launchMs},
                 {"download_ms", benchmark.whole.downloadMs},
                 {"cpu_ms", benchmark.cpuMs}};
    json["cpu_all_ms"] = benchmark.cpuAllMs ? Json(*benchmark.cpuAllMs) : Json();
    json["peak_fraction"] = copyPeakGBps > 0 ? Json(bytesPerSecond / 1e9 / copyPeakGBps) : Json();
    if (!benchmark.parts.empty()) json.update(ranksJson(outcome, benchmark));
    return json;
}

// An entry for each repetition under the same name; that tool's U test uses them to decide whether two runs differ.
void addRepetitions(Json& benchmarks, const Json& median, const std::vector<double>& ms)
{
    for (std::size_t i = 0; i < ms.size(); ++i) {
        Json& one = benchmarks.emplace_back(median);
        one["real_time"] = microseconds(ms[i]);
        one["repetitions"] = ms.size();
        one["repetition_index"] = i;
    }
}

Json valuesJson(const std::vector<std::optional<std::uint32_t>>& values, const ElementType& element)
{
    Json json = Json::array();
    for (const auto& value : values) json.push_back(value ? numberJson(*value, element) : Json());
    return json;
}

Json sharedJson(const EmulatorSettings::SharedVariable& variable, const ElementType& element)
{
    const auto asJson = [](auto number) { return Json(number); };
    Json json = {{"name", variable.name}, {"bank", variable.bank}, {"values", nullptr}};
    if (variable.numbers.size() > mostValuesKept) return json;
    json["values"] = Json::array();
    for (std::uint64_t i = 0; i < variable.numbers.size(); ++i)
        json["values"].push_back(variable.set[i] ? asNumber(variable, variable.numbers[i], element, asJson) : Json());
    return json;
}

Json figureJson(unsigned figure) { return figure > 0 ? Json(figure) : Json(); }

Json phaseJson(const Phase& phase, const ElementType& element)
{
    Json json = {{"index", phase.seen.number},
                 {"active", phase.seen.active},
                 {"line", nullptr},
                 {"shared", Json::array()},
                 {"verdict", verdictText(phase.judgement.verdict)},
                 {"what", phase.judgement.what},
                 {"figure", figureJson(phase.judgement.figure)},
                 {"first_wrong", nullptr}};
    if (phase.seen.barrier.line > 0) json["line"] = phase.seen.barrier.line;
    for (const auto& one : phase.seen.shared) json["shared"].push_back(sharedJson(one, element));
    if (const auto& wrong = phase.judgement.firstWrong)
        json["first_wrong"] = {{"name", wrong->variable},
                               {"index", wrong->index},
                               {"expected", numberJson(wrong->expected, element)},
                               {"got", numberJson(wrong->got, element)}};
    return json;
}

Json wrongElementJson(const WrongElement& wrong, const ElementType& element)
{
    return {{"buffer", wrong.buffer},
            {"index", wrong.index},
            {"expected", numberJson(wrong.expected, element)},
            {"got", wrong.neverWritten ? Json() : numberJson(wrong.got, element)}};
}

Json linesJson(const Trace& trace)
{
    Json lines = Json::array();
    for (const KernelLine& one : trace.lines) {
        const auto slash = one.file.find_last_of("/\\");
        lines.push_back({{"file", one.file.substr(slash == std::string::npos ? 0 : slash + 1)},
                         {"line", one.line},
                         {"text", one.source.text}});
    }
    return lines;
}

// By column, so that each name is written once. shared: the variables as a phase has them.
Json accessesJson(const Trace& trace, const std::vector<EmulatorSettings::SharedVariable>& shared,
                  const ElementType& element)
{
    Json columns = {{"group", Json::array()}, {"phase", Json::array()}, {"invocation", Json::array()},
                    {"line", Json::array()},  {"in", Json::array()},    {"index", Json::array()},
                    {"way", Json::array()},   {"value", Json::array()}, {"request", Json::array()},
                    {"from", Json::array()},  {"level", Json::array()}, {"after", Json::array()}};
    for (const TracedAccess& one : trace.accesses) {
        const auto* variable = one.shared && one.memory < shared.size() ? &shared[one.memory] : nullptr;
        columns["group"].push_back(one.group);
        columns["phase"].push_back(one.phase);
        columns["invocation"].push_back(one.invocation);
        columns["line"].push_back(one.line);
        columns["in"].push_back(variable ? Json(variable->name) : Json(one.memory));
        columns["index"].push_back(one.index);
        columns["way"].push_back(one.reads && one.writes ? "atomic" : one.reads ? "read" : "write");
        columns["value"].push_back(
            variable ? asNumber(*variable, one.value, element, [](auto number) { return Json(number); })
                     : numberJson(element.number(static_cast<std::uint32_t>(one.value)), element));
        columns["request"].push_back(one.request);
        columns["from"].push_back(one.from);
        columns["level"].push_back(one.level);
        columns["after"].push_back(one.after ? Json(*one.after) : Json());
    }
    return columns;
}

Json sharedWrongJson(const DispatchTrace& trace, const ElementType& element)
{
    Json all = Json::array();
    for (const DispatchTrace::WrongAt& one : trace.wrong)
        all.push_back({{"group", one.group},
                       {"phase", one.phase},
                       {"name", one.number.variable},
                       {"index", one.number.index},
                       {"expected", numberJson(one.number.expected, element)},
                       {"got", one.number.neverSet ? Json() : numberJson(one.number.got, element)}});
    return all;
}

Json dispatchJson(const Step& step)
{
    const DispatchCommand& dispatch = step.dispatch;
    Json push = Json::object(), buffers = Json::array();
    for (const PushMember& member : dispatch.facts ? dispatch.facts->push : std::vector<PushMember>()) {
        const auto pushed = dispatch.pushed(member);
        push[member.name] = pushed ? Json(*pushed) : Json();
    }
    for (const BoundBuffer& one : dispatch.buffers) {
        const auto written = std::find_if(step.written.begin(), step.written.end(),
                                          [&](const WrittenBuffer& w) { return w.buffer == one.buffer; });
        const auto values = std::find_if(step.values.begin(), step.values.end(),
                                         [&](const BufferValues& kept) { return kept.buffer == one.buffer; });
        buffers.push_back(
            {{"binding", one.binding},
             {"name", one.name},
             {"block", one.block},
             {"reads", one.reads},
             {"writes", one.writes},
             {"changed", written == step.written.end() ? 0 : written->changed},
             {"kept", written != step.written.end() && written->kept},
             {"before", values == step.values.end() ? Json() : valuesJson(values->before, *step.element)},
             {"values", values == step.values.end() ? Json() : valuesJson(values->after, *step.element)}});
    }
    Json json = {{"index", dispatch.index},
                 {"label", dispatch.label},
                 {"kernel", dispatch.kernel},
                 {"groups", dispatch.groups},
                 {"push", push},
                 {"buffers", buffers},
                 {"barrier_before", step.barriers},
                 {"ms", step.ms ? Json(*step.ms) : Json()},
                 {"verdict", verdictText(step.judgement.verdict)},
                 {"what", step.judgement.what},
                 {"figure", figureJson(step.judgement.figure)},
                 {"first_wrong", nullptr},
                 {"wrong", Json::array()}};
    if (const auto& wrong = step.judgement.firstWrong)
        json["first_wrong"] = {{"buffer", wrong->buffer},
                               {"index", wrong->index},
                               {"expected", numberJson(wrong->expected, *step.element)},
                               {"got", numberJson(wrong->got, *step.element)}};
    for (const WrongElement& one : step.wrong) json["wrong"].push_back(wrongElementJson(one, *step.element));
    if (!step.printed.empty()) json["printed"] = printedLinesJson(step.printed);
    json["group"] = nullptr;
    json["phases"] = nullptr;
    json["phases_remark"] = nullptr;
    if (step.phases) {
        json["group"] = step.phases->group;
        json["phases"] = Json::array();
        for (const Phase& phase : step.phases->phases) json["phases"].push_back(phaseJson(phase, *step.element));
        if (!step.phases->remark.empty()) json["phases_remark"] = step.phases->remark;
    }
    json["trace"] = nullptr;
    if (step.trace)
        json["trace"] = {{"cut", step.trace->trace.cut},
                         {"lines", linesJson(step.trace->trace)},
                         {"accesses", accessesJson(step.trace->trace, step.trace->shared, *step.element)},
                         {"wrong", sharedWrongJson(*step.trace, *step.element)}};
    return json;
}

}  // namespace

std::string dispatchesJson(const StepsOutcome& steps)
{
    Json all = Json::array();
    for (const Step& step : steps.steps) all.push_back(dispatchJson(step));
    return all.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string jsonReport(const ReportContext& context, const std::vector<TaskOutcome>& outcomes, const JsonPart& part,
                       TimesAs times)
{
    Json json = {{"schema", reportVersion},
                 {"context", contextJson(context)},
                 {"tests", Json::array()},
                 {"benchmarks", Json::array()}};
    for (const TaskOutcome& outcome : outcomes) {
        json["tests"].push_back(testJson(outcome));
        for (const CaseOutcome& one : outcome.cases) {
            if (!one.benchmark) continue;
            const Json median = benchmarkJson(outcome, *one.benchmark, context.copyPeakGBps);
            if (times == TimesAs::repetitions && !one.benchmark->ms.samples.empty())
                addRepetitions(json["benchmarks"], median, one.benchmark->ms.samples);
            else
                json["benchmarks"].push_back(median);
        }
    }
    if (!part.value.empty()) json[part.key] = Json::parse(part.value);
    if (json.contains("dispatches")) json["lint"] = json["tests"][0]["lint"];
    // Names of devices and files may hold bytes that are not UTF-8.
    return json.dump(1, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace a2
