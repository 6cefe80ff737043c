#include "report/Report.h"

#include "base/PrintableText.h"

#include <fmt/format.h>

namespace a2 {

namespace {

// RFC 4180: a field with a comma, a quote or a line break stands in quotes, and quotes in it are doubled. Text that a
// spreadsheet would read as a formula is marked as text.
std::string field(const std::string& given)
{
    std::string text = printableText(given);
    if (!text.empty() && std::string_view("=+-@").find(text.front()) != std::string_view::npos) text.insert(0, 1, '\'');
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

// id to elements: the first columns of both reports.
std::string lineStart(const TaskOutcome& outcome, Status status, const CaseOutcome& one)
{
    return fmt::format("{},{},{},{},{},{},{},{},{},", outcome.task.id, field(outcome.task.consoleLabel()),
                       statusText(status), outcome.cases.size(), one.n, field(one.pattern), one.seed,
                       one.shape.workGroup, one.shape.elements);
}

std::string times(const Benchmark& benchmark)
{
    return fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}", benchmark.timer == Timer::gpu ? "gpu" : "host",
                       benchmark.ms.min, benchmark.ms.median, benchmark.ms.max, benchmark.ms.cv,
                       benchmark.throughput());
}

constexpr const char* caseColumns =
    "id,label,status,cases,n,pattern,seed,workgroup,elements,timer,min_ms,median_ms,max_ms,cv,ge_per_s";

}  // namespace

std::string csvReport(const std::vector<TaskOutcome>& outcomes)
{
    std::string text = fmt::format("{}\n", caseColumns);
    for (const TaskOutcome& outcome : outcomes) {
        const CaseOutcome last = outcome.cases.empty() ? CaseOutcome() : outcome.cases.back();
        const CaseOutcome& shown = outcome.firstFailure() ? *outcome.firstFailure() : last;
        const Benchmark* benchmark = outcome.benchmark();
        text += lineStart(outcome, outcome.status, shown) + (benchmark ? times(*benchmark) : ",,,,,") + "\n";
    }
    return text;
}

std::string benchCsvReport(const std::vector<TaskOutcome>& outcomes, double copyPeakGBps)
{
    std::string text =
        fmt::format("{},gb_per_s,peak_fraction,batch,in_flight,bytes,repetitions,host_ms,whole_ms,cpu_ms,cpu_all_ms\n",
                    caseColumns);
    for (const TaskOutcome& outcome : outcomes)
        for (const CaseOutcome& one : outcome.cases) {
            text += lineStart(outcome, one.status, one);
            if (!one.benchmark) {
                text += ",,,,,,,,,,,,,,,\n";
                continue;
            }
            const Benchmark& benchmark = *one.benchmark;
            const std::string peak =
                copyPeakGBps > 0 ? fmt::format("{:.6g}", benchmark.bandwidth() / copyPeakGBps) : "";
            const std::string cpuAll = benchmark.cpuAllMs ? fmt::format("{:.6g}", *benchmark.cpuAllMs) : "";
            text +=
                fmt::format("{},{:.6g},{},{},{},{},{},{:.6g},{:.6g},{:.6g},{}\n", times(benchmark),
                            benchmark.bandwidth(), peak, benchmark.batch, benchmark.inFlight, benchmark.minimumTraffic,
                            benchmark.ms.count, benchmark.hostMs, benchmark.whole.sum(), benchmark.cpuMs, cpuAll);
        }
    return text;
}

}  // namespace a2
