#include "report/Report.h"

#include <fmt/format.h>

namespace a2 {

namespace {

// RFC 4180: a field with a comma, a quote or a line break stands in quotes, and quotes in it are doubled.
std::string field(const std::string& text)
{
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    return quoted + "\"";
}

}  // namespace

std::string csvReport(const std::vector<TaskOutcome>& outcomes)
{
    std::string text =
        "id,label,status,cases,n,pattern,seed,workgroup,elements,timer,min_ms,median_ms,max_ms,cv,ge_per_s\n";
    for (const TaskOutcome& outcome : outcomes) {
        const CaseOutcome last = outcome.cases.empty() ? CaseOutcome() : outcome.cases.back();
        const CaseOutcome& shown = outcome.firstFailure() ? *outcome.firstFailure() : last;
        text += fmt::format("{},{},{},{},{},{},{},{},{},", outcome.task.id, field(outcome.task.consoleLabel()),
                            statusText(outcome.status), outcome.cases.size(), shown.n, field(shown.pattern), shown.seed,
                            shown.shape.workGroup, shown.shape.elements);
        if (outcome.benchmark) {
            const Benchmark& benchmark = *outcome.benchmark;
            text += fmt::format("{},{:.6g},{:.6g},{:.6g},{:.6g},{:.6g}\n",
                                benchmark.timer == Timer::gpu ? "gpu" : "host", benchmark.ms.min, benchmark.ms.median,
                                benchmark.ms.max, benchmark.ms.cv, benchmark.throughput());
        } else {
            text += ",,,,,\n";
        }
    }
    return text;
}

}  // namespace a2
