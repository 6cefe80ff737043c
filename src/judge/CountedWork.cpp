#include "judge/CountedWork.h"

#include "a2/Error.h"
#include "base/Clock.h"
#include "gpu/DeviceLimits.h"
#include "gpu/Shaders.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/StudentSolution.h"
#include "lint/EmulatedFindings.h"
#include "tasks/Expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace a2 {

namespace {

std::string kernelName(const Recording& recording, const RecordedDispatch& dispatch)
{
    const RecordedPipeline& one = recording.pipelines.at(dispatch.pipeline.value());
    return !one.shader.empty() ? one.shader : !one.name.empty() ? one.name : "of the solution's own";
}

// Throws for a dispatch that was not followed to its end, or that breaks a rule for all kernels.
void checkFollowed(const Recording& recording, const EmulatedStep& step, std::uint64_t n, std::uint64_t budget)
{
    const std::string where = fmt::format("dispatch {} '{}'", step.number, step.dispatch->label);
    if (!step.problem.empty()) throw KernelError(fmt::format("{}: {}", where, step.problem));
    for (const Finding& one : findingsOf(recording, step))
        if (one.severity == Severity::failure) throw KernelError(one.text());
    if (step.walk.overBudget)
        throw LimitError(
            fmt::format("n = {} takes more than {} instructions on the host: choose a smaller n", n, budget));
    const auto lost = [](const PhaseCounts& one) { return one.lost > 0; };
    if (step.walk.complete && std::none_of(step.walk.phases.begin(), step.walk.phases.end(), lost)) return;
    throw LimitError(fmt::format("{} cannot be followed on the host: {}", where,
                                 step.walk.unknown ? step.walk.unknown->what : "it has too many steps"));
}

// Races are not looked for here.
EmulatorSettings quickSettings(std::uint64_t budget)
{
    EmulatorSettings settings;
    settings.checks = false;
    settings.budget = 2 * budget;  // an estimate has already compared n with it
    return settings;
}

// The number of instructions for n elements: a power of n through the counts of two lengths that were followed.
struct Effort {
    std::uint64_t n = 0, instructions = 0;
    double power = 1;

    double of(std::uint64_t other) const
    {
        return static_cast<double>(instructions) * std::pow(static_cast<double>(other) / static_cast<double>(n), power);
    }
    std::uint64_t largest(std::uint64_t budget) const
    {
        std::uint64_t fits = 0, tooMany = mostElements + 1;
        while (tooMany - fits > 1) {
            const std::uint64_t middle = fits + (tooMany - fits) / 2;
            (of(middle) <= static_cast<double>(budget) ? fits : tooMany) = middle;
        }
        return fits;
    }
};

void checkEffort(const Workload& work, std::uint64_t n, const KernelShape& shape, std::uint64_t budget)
{
    constexpr std::uint64_t shortest = 512;           // elements
    const std::uint64_t several = 16 * shape.tile();  // with fewer tiles, the levels above them count too much
    Effort before, effort;
    bool known = false;
    for (std::uint64_t length = shortest; length < std::min(n, mostElements) && !known; length *= 2) {
        before = effort;
        effort = {length, 0, 1};
        work.follow(length, shape, quickSettings(budget), [&](const Recording& recording, const EmulatedStep& step) {
            checkFollowed(recording, step, length, budget);
            effort.instructions += step.walk.instructions;
        });
        const bool enough = effort.instructions >= budget / 64 && length >= several;
        known = before.n > 0 && (enough || effort.instructions >= budget / 4);
    }
    if (!known && n <= mostElements) return;  // n is little more than what was followed
    // The fixed work of every dispatch would make it less than 1.
    effort.power =
        std::max(1.0, std::log2(static_cast<double>(effort.instructions) / static_cast<double>(before.instructions)));
    const std::uint64_t largest = effort.largest(budget);
    if (n > largest && n > mostElements)
        throw LimitError(
            fmt::format("{} elements are more than are followed on the host: the largest n is {}", n, largest));
    if (n > largest)
        throw LimitError(fmt::format(
            "{} elements take about {:.2g} instructions on the host, of which {} are followed: the largest n "
            "is {}",
            n, effort.of(n), budget, largest));
}

}  // namespace

void Workload::follow(std::uint64_t n, const KernelShape& shape, const EmulatorSettings& settings,
                      const std::function<void(const Recording&, const EmulatedStep&)>& seen) const
{
    const RecordedWork recorded = record(n, shape);
    const RecordedRun& run = recorded.recording.runs.at(0);
    for (const auto* faults : {&recorded.recording.faults, &run.faults})
        if (!faults->empty()) throw KernelError(fmt::format("{}: {}", faults->front().rule, faults->front().message));
    for (const RecordedPipeline& one : recorded.recording.pipelines)
        if (!one.shader.empty()) checkKernel(gpu, one.shader, shaderFacts(gpu, one.shader, one.shape), one.shape);
    EmulatedRun(recorded.recording, shadersOf(gpu), recorded.given).walk(run, settings, [&](const EmulatedStep& step) {
        seen(recorded.recording, step);
    });
}

Workload workloadOf(Device& gpu, const Task& task)
{
    const auto record = [&gpu, task](std::uint64_t n, const KernelShape& shape) {
        checkSize(gpu, task, n);
        const Input input = task.inputOf(Pattern::parse("random"), n, 1);
        return RecordedWork{recordingOf(gpu, task, shape, n), givenWords(Expectation(*task.taskClass, input, shape))};
    };
    return {gpu, record};
}

std::vector<CountedDispatch> countDispatches(const Workload& work, std::uint64_t n, const KernelShape& shape,
                                             std::uint64_t budget)
{
    std::vector<CountedDispatch> counted;
    if (n == 0) return counted;
    checkEffort(work, n, shape, budget);
    EmulatorSettings settings = quickSettings(budget);
    settings.counts = true;
    work.follow(n, shape, settings, [&](const Recording& recording, const EmulatedStep& step) {
        checkFollowed(recording, step, n, budget);
        const Emulated& walk = step.walk;
        counted.push_back({step.dispatch->label, kernelName(recording, *step.dispatch), step.groups, walk.phases,
                           walk.requests, walk.sectors, walk.transactions, walk.branches, walk.divergentBranches,
                           walk.instructions});
    });
    return counted;
}

std::optional<WalkRate> walkRate(const Workload& work, std::uint64_t n, const KernelShape& shape)
{
    constexpr double leastMs = 100;
    WalkRate rate;
    bool whole = true;
    const auto perSecond = [&](std::uint32_t cores) {
        EmulatorSettings settings;
        settings.cores = cores;
        settings.otherWays = false;
        settings.budget = std::uint64_t{1} << 28;
        std::uint64_t instructions = 0, walks = 0;
        double ms = 0;
        for (; whole && ms < leastMs; ++walks) {
            auto start = Clock::now();  // the walk alone, without the recording
            const Workload recorded{work.gpu, [&](std::uint64_t elements, const KernelShape& asked) {
                                        RecordedWork one = work.record(elements, asked);
                                        start = Clock::now();
                                        return one;
                                    }};
            recorded.follow(n, shape, settings, [&](const Recording&, const EmulatedStep& step) {
                whole = whole && step.problem.empty() && step.walk.complete && step.walk.findings.empty();
                instructions += step.walk.instructions;
            });
            ms += msSince(start);
        }
        rate.instructions = instructions / walks;
        return static_cast<double>(instructions) / ms * 1e3;
    };
    rate.onOneCore = perSecond(1);
    if (whole) rate.onAll = perSecond(0);
    return whole ? std::optional(rate) : std::nullopt;
}

Measures measures(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors)
{
    Measures sum;
    std::vector<std::uint64_t> active;  // of every step
    for (const CountedDispatch& one : dispatches)
        for (const PhaseCounts& phase : one.phases) {
            active.insert(active.end(), phase.active.begin(), phase.active.end());
            sum.additions += phase.additions;
            sum.reads += phase.reads;
            sum.writes += phase.writes;
        }
    for (const std::uint64_t one : active) sum.processors = std::max(sum.processors, one);
    sum.processors = processors.value_or(sum.processors);
    for (const std::uint64_t one : active) {
        sum.time += ceilDiv(one, sum.processors);
        sum.work += one;
    }
    sum.shortest = active.size();
    return sum;
}

bool KernelConflicts::any() const
{
    return std::any_of(columns.begin(), columns.end(), [](const ConflictCount& one) { return one.requests > 0; });
}

bool KernelConflicts::paddingMatters(const std::vector<ConflictColumn>& shown) const
{
    for (std::size_t i = 0; i < columns.size(); ++i)
        for (std::size_t k = 0; k < i; ++k)
            if (shown[i].banks == shown[k].banks && columns[i] != columns[k]) return true;
    return false;
}

std::size_t KernelConflicts::phases() const
{
    std::size_t most = 0;
    for (const ConflictCount& column : columns) most = std::max(most, column.worst.size());
    return most;
}

std::vector<KernelConflicts> countConflicts(const Workload& work, std::uint64_t n,
                                            const std::vector<ConflictColumn>& columns)
{
    std::vector<KernelConflicts> kernels;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        EmulatorSettings settings = quickSettings(mostFollowed);
        settings.counts = settings.watchedAlone = true;
        settings.watched = 0;
        settings.banks = settings.conflictsTogether = columns[i].banks;
        std::set<std::string> seen;
        work.follow(n, columns[i].shape, settings, [&](const Recording& recording, const EmulatedStep& step) {
            if (!step.problem.empty()) throw KernelError(step.problem);
            const std::string kernel = kernelName(recording, *step.dispatch);
            if (step.walk.invocations == 0 || !seen.insert(kernel).second) return;
            auto found = std::find_if(kernels.begin(), kernels.end(),
                                      [&](const KernelConflicts& one) { return one.kernel == kernel; });
            if (found == kernels.end())
                found = kernels.insert(kernels.end(), {kernel, std::vector<ConflictCount>(columns.size())});
            found->columns[i] = {step.walk.conflicts, step.walk.sharedRequests, step.walk.bankTurns};
        });
    }
    return kernels;
}

std::vector<ConflictColumn> usualColumns(const KernelShape& shape)
{
    KernelShape plain = shape, padded16 = shape;
    plain.banks = KernelShape::noPadding;
    padded16.banks = 16;
    return {{"padded", 32, shape}, {"unpadded", 32, plain}, {"padded", 16, padded16}, {"unpadded", 16, plain}};
}

}  // namespace a2
