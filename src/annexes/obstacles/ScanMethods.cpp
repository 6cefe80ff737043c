#include "annexes/obstacles/ScanMethods.h"

#include "A2Task2.h"
#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"
#include "gpu/Staging.h"
#include "judge/CountedWork.h"
#include "judge/LookInside.h"
#include "judge/OwnLog.h"
#include "judge/StudentSolution.h"
#include "judge/WatchedMemory.h"
#include "recording/OneDispatch.h"

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

constexpr const char* wholeShader = "A2LabBruteForceWhole";

// Brute force in one dispatch over the whole array.
class WholeArray : public Runnable {
public:
    WholeArray(Device& gpu, const KernelShape& shape, const DeviceBuffer& input, std::uint64_t n)
        : scanned_(gpu, "scan", n),
          kernel_(gpu, wholeShader, shape, {input, scanned_}, {static_cast<uint>(n)}, gpu.groupsFor(n, shape.workGroup),
                  "brute force"),
          log_(logOf(kernel_))
    {
    }

    void record(Commands& cb) override { kernel_.record(cb); }
    const CommandLog& log() const override { return log_; }
    const DeviceBuffer& result() const override { return scanned_; }
    Index resultIndex() const override { return indexOf(kernel_, scanned_); }

private:
    DeviceBuffer scanned_;
    SingleDispatch<TileScanPush> kernel_;
    CommandLog log_;
};

std::unique_ptr<Runnable> makeSolution(Device& gpu, ScanMethod method, const KernelShape& shape,
                                       const DeviceBuffer& input, std::uint64_t n)
{
    const std::string id = methodTask(method);
    if (id.empty()) return std::make_unique<WholeArray>(gpu, shape, input, n);
    return std::make_unique<StudentSolution>(gpu, selectTasks({id}, false).front(), shape, input, nullptr, n);
}

// The same, for counting.
Workload workloadOf(Device& gpu, ScanMethod method)
{
    const std::string id = methodTask(method);
    if (!id.empty()) return workloadOf(gpu, selectTasks({id}, false).front());
    const auto record = [&gpu](std::uint64_t n, const KernelShape& shape) {
        const WorkGroups groups = gpu.groupsFor(n, shape.workGroup);
        const TileScanPush push{static_cast<uint>(n)};
        RecordedWork work;
        work.recording =
            recordingOf(OneDispatch{wholeShader, "brute force", shape, {n, n}, wordsOf(push), {groups.x, groups.y, 1}});
        work.given.input.resize(n);
        return work;
    };
    return {gpu, record};
}

std::optional<MethodOutcome::Counts> countMethod(Device& gpu, ScanMethod method, const KernelShape& shape,
                                                 std::uint64_t n)
{
    try {
        std::vector<CountedDispatch> dispatches = countDispatches(workloadOf(gpu, method), n, shape, mostCounted);
        const auto sum = [&] {
            const Measures all = measures(dispatches);
            return Operations{all.additions, all.reads, all.writes};
        };
        MethodOutcome::Counts counts{sum(), {}};
        dispatches.erase(dispatches.begin());
        counts.forTotals = sum();
        return counts;
    } catch (const LimitError&) {
        return {};
    }
}

// Adds mismatches to those of earlier runs of the same method.
void compare(Device& gpu, const DeviceBuffer& result, std::span<const std::uint32_t> expected,
             std::optional<Mismatches>& mismatches)
{
    if (mismatches) return;
    Mismatches found;
    download(gpu, result, expected.size(), [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
        for (std::uint64_t i = 0; i < chunk.size(); ++i)
            if (chunk[i] != expected[first + i] && found.count++ == 0)
                found = {1, first + i, expected[first + i], chunk[i]};
    });
    if (found.count > 0) mismatches = found;
}

}  // namespace

MethodOutcome measureMethod(Device& gpu, ScanMethod method, const KernelShape& shape, const DeviceBuffer& input,
                            std::span<const std::uint32_t> expected, const SeriesSettings& settings)
{
    MethodOutcome outcome;
    outcome.method = method;
    outcome.n = expected.size();
    outcome.tile = shape.tile();
    outcome.findings = lookInside(workloadOf(gpu, method), outcome.n, shape).findings;
    if (anyFails(outcome.findings)) return outcome;
    WatchedMemory memory(gpu, [&input](const DeviceMemory* buffer) { return buffer == input.memory(); });
    const auto solution = makeSolution(gpu, method, shape, input, outcome.n);
    TimedRun timed(gpu);
    const auto record = [&](Commands& cb) { solution->record(cb); };
    std::optional<RunTime> first;
    for (unsigned run = 0; run < StudentSolution::runsRecorded; ++run) {
        const RunTime time = memory.runOwn(timed, settings.timer, *solution, outcome.findings);
        if (!first) first = time;
        compare(gpu, solution->result(), expected, outcome.mismatches);
        if (anyFails(outcome.findings) || outcome.mismatches) break;
    }

    SeriesSettings sameClock = settings;
    if (first->lacks(settings.timer)) sameClock.timer = Timer::host;
    const DeviceTimes times = timeOnDevice([&](Timer timer) { return timed.run(timer, {}, record); }, sameClock);
    outcome.ms = times.ms;
    outcome.timer = times.timer;
    outcome.firstMs = first->by(outcome.timer);
    compare(gpu, solution->result(), expected, outcome.mismatches);

    if (anyFails(outcome.findings) || outcome.mismatches) return outcome;
    try {
        outcome.counts = countMethod(gpu, method, shape, outcome.n);
    } catch (const KernelError& error) {
        outcome.findings.push_back({"", error.what(), {}});
    }
    return outcome;
}

std::vector<ScanMethod> comparedMethods(std::uint64_t n)
{
    std::vector<ScanMethod> methods = {ScanMethod::bruteForceWhole, ScanMethod::bruteForce, ScanMethod::koggeStone,
                                       ScanMethod::brentKung};
    if (n > longestWhole) methods.erase(methods.begin());
    if (n > longestInTiles) methods.erase(methods.begin());
    return methods;
}

KernelShape comparedShape(std::uint64_t n, std::uint32_t mostInvocations)
{
    constexpr std::uint64_t largest = 512;
    const std::uint64_t half = std::bit_ceil(std::max<std::uint64_t>(n, 2)) / 2;
    return {static_cast<std::uint32_t>(std::min({half, largest, std::uint64_t{mostInvocations}})), 2};
}

}  // namespace a2
