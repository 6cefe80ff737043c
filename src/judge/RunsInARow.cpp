#include "judge/RunsInARow.h"

#include "gpu/Device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

Verdict RunsInARow::judge(const std::function<Verdict()>& judged)
{
    Verdict verdict;
    const unsigned count = gpu_.isCpu() && areAlike() ? 1 : runs;
    for (unsigned run = 0; run < count; ++run) {
        verdict = judged();
        if (verdict.passed()) continue;
        if (run > 0 && verdict.mismatches) {
            // The walk was of a first run: a right result there proves nothing here.
            std::erase_if(verdict.findings, [](const Finding& one) { return one.cause == walkedOnHost; });
            verdict.findings.insert(verdict.findings.begin(), differing(run));
        }
        break;
    }
    if (verdict.passed()) checkKeptState(judged, verdict);
    return verdict;
}

// Whether no data passes from one of the recorded runs to the next, and their commands are the same.
bool RunsInARow::areAlike() const
{
    const Recording& recording = solution_.recording();
    return std::none_of(recording.buffers.begin(), recording.buffers.end(), isKept) &&
           std::all_of(recording.runs.begin(), recording.runs.end(),
                       [&](const RecordedRun& run) { return run == recording.runs.front(); });
}

// Explains why this run failed and those before it passed.
Finding RunsInARow::differing(unsigned run) const
{
    const Recording& recording = solution_.recording();
    const bool keepsMemory = std::any_of(recording.buffers.begin(), recording.buffers.end(), isKept);
    if (keepsMemory || recording.runs.at(run) != recording.runs.front())
        return {"stale-state",
                fmt::format("run {} of the same object failed, the runs before it passed: record() must start from "
                            "the same state each time",
                            run + 1),
                {}};
    // No data passes from one of these runs to the next.
    const bool rightOnHost = lint_.passes();
    return {"",
            fmt::format("run {} of the same commands on the same input failed, the runs before it passed, and nothing "
                        "is kept from run to run: the result depends on the order of work-groups and invocations, or "
                        "on memory that was never written{}",
                        run + 1,
                        rightOnHost ? "; walked on the host the kernels are right, so that this device's driver may be "
                                      "at fault: try another device, or -d emulator"
                                    : ""),
            {}};
}

// A result that is read from memory of an earlier run is right as long as the input stays the same. So each recorded
// run is made on zeros after one on the input.
void RunsInARow::checkKeptState(const std::function<Verdict()>& judged, Verdict& verdict)
{
    const std::vector<LiveBuffer> mine = memory_.buffers();
    const auto kept = std::find_if(mine.begin(), mine.end(),
                                   [](const LiveBuffer& live) { return live.lifetime == Lifetime::solution; });
    if (kept == mine.end()) return;
    static_assert(runs % 2 == 1);  // so that every second run is another one each time
    for (unsigned run = 0; run < 2 * runs && verdict.passed(); ++run) {
        std::string wrong;
        leftZeros_ = run % 2 == 0;
        if (!leftZeros_) {
            verdict = judged();
            if (verdict.mismatches)
                wrong = fmt::format("but after zeros element {} is wrong", verdict.mismatches->firstIndex);
        } else if (const auto first = firstWrongOfZeros()) {
            wrong = fmt::format("but of zeros element {} of the result is not {}", first->index,
                                expectation_.element().text(first->expected));
        }
        if (wrong.empty()) continue;
        verdict.findings.push_back({"stale-state",
                                    fmt::format("right for the same input again, {}: it is not made from this run's "
                                                "input alone; keep nothing of an input in buffer '{}'",
                                                wrong, kept->name),
                                    {}});
    }
    memory_.takeMessages(verdict.findings);
}

// For the next run's result, on an input of zeros. Zeros add up to zeros; if there is a reference, it gives the result
// for them.
std::optional<RunsInARow::WrongOfZeros> RunsInARow::firstWrongOfZeros()
{
    const auto reference = expectation_.taskClass().reference;
    const std::vector<std::uint32_t> expected =
        reference ? reference(std::vector<std::uint32_t>(expectation_.input().size())) : std::vector<std::uint32_t>();
    memory_.draw();
    timedRun_.run(
        Timer::host,
        [&](Commands& cb) {
            memory_.recordPoison(cb);
            for (const LiveBuffer& live : memory_.buffers())
                if (input_.holds(live.memory)) cb.fill(*live.memory, live.guardBytes, live.payloadBytes, 0);
        },
        [&](Commands& cb) { solution_.record(cb); });
    const DeviceBuffer& result = solution_.result();
    std::optional<WrongOfZeros> first;
    download(gpu_, result, std::min(expectation_.resultSize(), result.elements()),
             [&](std::uint64_t start, std::span<const std::uint32_t> chunk) {
                 for (std::size_t i = 0; i < chunk.size() && !first; ++i)
                     if (const std::uint32_t number = reference ? expected.at(start + i) : 0;
                         expectation_.element().number(chunk[i]) != number)
                         first = {start + i, number};
             });
    return first;
}

}  // namespace a2
