#include "report/Report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

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
    json["copy_peak_GBps"] = context.copyPeakGBps > 0 ? Json(context.copyPeakGBps) : Json();
    return json;
}

Json caseJson(const CaseOutcome& one)
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
        json["expected"] = one.mismatches->expected;
        json["got"] = one.mismatches->got;
        json["first_index"] = one.mismatches->firstIndex;
    }
    for (const Finding& finding : one.findings) json["findings"].push_back(finding.text());
    return json;
}

Json lintJson(const Finding& finding)
{
    Json json = {{"rule", finding.rule}, {"dispatch", nullptr}, {"message", finding.message}};
    if (finding.dispatch) json["dispatch"] = *finding.dispatch;
    return json;
}

Json testJson(const TaskOutcome& outcome)
{
    Json cases = Json::array(), lint = Json::array();
    for (const CaseOutcome& one : outcome.cases) cases.push_back(caseJson(one));
    for (const Finding& finding : lintFindings(outcome)) lint.push_back(lintJson(finding));
    Json json = {{"id", outcome.task.id},
                 {"label", outcome.task.consoleLabel()},
                 {"status", statusText(outcome.status)},
                 {"cases", cases},
                 {"lint", lint}};
    if (const auto lines = outcome.reportLines(); !lines.empty()) json["explanation"] = lines;
    return json;
}

// The keys of Google Benchmark first, so that its compare tool reads the file; cpu_time is the host's clock there.
Json benchmarkJson(const Task& task, const Benchmark& benchmark, double copyPeakGBps)
{
    const double seconds = benchmark.ms.median / 1e3;
    const auto perSecond = [&](double amount) { return seconds > 0 ? amount / seconds : 0; };
    const double bytesPerSecond = perSecond(static_cast<double>(benchmark.leastBytes));
    Json json = {{"name", fmt::format("{}/{}{}", task.id, benchmark.n, benchmark.nameSuffix)},
                 {"run_type", "iteration"},
                 {"iterations", benchmark.ms.count},
                 {"real_time", benchmark.ms.median},
                 {"cpu_time", benchmark.hostMs},
                 {"time_unit", "ms"},
                 {"items_per_second", perSecond(static_cast<double>(benchmark.n))},
                 {"bytes_per_second", bytesPerSecond},
                 {"n", benchmark.n},
                 {"workgroup", benchmark.shape.workGroup},
                 {"elements", benchmark.shape.elements},
                 {"batch", benchmark.batch},
                 {"in_flight", benchmark.inFlight},
                 {"bytes", benchmark.leastBytes},
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
    return json;
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
                                          [&](const WrittenBuffer& w) { return w.handle == one.buffer; });
        buffers.push_back({{"binding", one.binding},
                           {"name", one.name},
                           {"block", one.block},
                           {"reads", one.reads},
                           {"writes", one.writes},
                           {"changed", written == step.written.end() ? 0 : written->changed}});
    }
    Json json = {{"index", dispatch.index},
                 {"label", dispatch.label},
                 {"kernel", dispatch.kernel},
                 {"groups", dispatch.groups},
                 {"push", push},
                 {"buffers", buffers},
                 {"barrier_before", step.barriers},
                 {"ms", step.ms},
                 {"verdict", verdictText(step.judgement.verdict)},
                 {"first_wrong", nullptr}};
    if (const auto& wrong = step.judgement.firstWrong)
        json["first_wrong"] = {
            {"buffer", wrong->buffer}, {"index", wrong->index}, {"expected", wrong->expected}, {"got", wrong->got}};
    return json;
}

}  // namespace

std::string jsonReport(const ReportContext& context, const std::vector<TaskOutcome>& outcomes,
                       const StepsOutcome* steps)
{
    Json json = {
        {"schema", 1}, {"context", contextJson(context)}, {"tests", Json::array()}, {"benchmarks", Json::array()}};
    for (const TaskOutcome& outcome : outcomes) {
        json["tests"].push_back(testJson(outcome));
        for (const CaseOutcome& one : outcome.cases)
            if (one.benchmark)
                json["benchmarks"].push_back(benchmarkJson(outcome.task, *one.benchmark, context.copyPeakGBps));
    }
    if (steps) {
        json["dispatches"] = Json::array();
        for (const Step& step : steps->steps) json["dispatches"].push_back(dispatchJson(step));
        json["lint"] = json["tests"][0]["lint"];
    }
    // Names of devices and files may hold bytes that are no UTF-8.
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace a2
