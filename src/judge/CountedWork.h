// The theory of a solution, counted from what it records: parallel time, cost and work, global reads and writes,
// memory requests, divergent branches, bank conflicts. No device is used: the emulator runs the kernels on the host,
// with subgroups of 32.
#pragma once

#include "lint/EmulatedRun.h"
#include "spirv/PhaseCounts.h"
#include "tasks/Task.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What a solution or a2's own code recorded, and the data that it is given.
struct RecordedWork {
    Recording recording;
    GivenWords given;
};
// The work that is counted. The device must outlive it; only the device's limits and kernels are read.
struct Workload {
    Device& gpu;
    std::function<RecordedWork(std::uint64_t n, const KernelShape&)> record;  // throws as recordingOf

    // Follows the first run of n elements, one work-group after the other. Throws what `record` throws, LimitError and
    // KernelError for kernels beyond the device's limits, KernelError for faults of the recording.
    void follow(std::uint64_t n, const KernelShape& shape, const EmulatorSettings& settings,
                const std::function<void(const Recording&, const EmulatedStep&)>& seen) const;
};
// The input is random.
Workload workloadOf(Device& gpu, const Task& task);

struct CountedDispatch {
    std::string label, kernel;
    std::array<std::uint32_t, 3> groups{};
    Phases phases;  // sums over all work-groups
    std::uint64_t requests = 0, sectors = 0, transactions = 0, branches = 0, divergentBranches = 0;  // as in Emulated
    std::uint64_t instructions = 0;
};

// The most instructions that are followed on the host (about a quarter of a minute), and the most elements that fit
// there.
constexpr std::uint64_t mostFollowed = 1'500'000'000, mostElements = std::uint64_t{1} << 26;

// Counts the first run of n elements. The number of instructions is estimated beforehand from shorter arrays: throws
// LimitError, which names the largest n that fits, if it exceeds the budget. Throws LimitError also for what the device
// cannot run or the emulator cannot follow, KernelError for faults of the solution.
std::vector<CountedDispatch> countDispatches(const Workload& work, std::uint64_t n, const KernelShape& shape,
                                             std::uint64_t budget = mostFollowed);

// How fast the host walks a run when it is judged, with checks for races and unset memory.
struct WalkRate {
    std::uint64_t instructions = 0;   // of all invocations, once
    double onOneCore = 0, onAll = 0;  // instructions per second
};
// Of the first run of n elements, walked for at least a tenth of a second each; empty if it is not walked to its end in
// 2^28 instructions, or has findings. Throws as countDispatches.
std::optional<WalkRate> walkRate(const Workload& work, std::uint64_t n, const KernelShape& shape);

// The measures of parallel algorithms. Dispatches, and phases between barrier() calls, run one after the other;
// `active` has the parallel steps inside them.
struct Measures {
    std::uint64_t processors = 0;  // p; if none is given, the most invocations that are active in one step
    std::uint64_t time = 0;        // T(n, p) in steps: a step of more invocations than p takes several
    std::uint64_t work = 0;        // W(n): active invocations, added up over the steps
    std::uint64_t shortest = 0;    // T(n, p) with as many processors as could be used
    std::uint64_t additions = 0, reads = 0, writes = 0;  // as in PhaseCounts

    std::uint64_t cost() const { return processors * time; }  // C(n, p)
};
Measures measures(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors = {});

// The bank conflicts of a kernel's first work-group, which is run alone, in several columns.
struct ConflictColumn {
    std::string title;
    std::uint32_t banks;  // of the memory, and the invocations that access it together
    KernelShape shape;    // including the banks for which the kernel pads
};
struct ConflictCount {
    Conflicts worst;                        // in each phase
    std::uint64_t requests = 0, turns = 0;  // over all phases: its requests, and the answers that the banks must give
    bool operator==(const ConflictCount&) const = default;
};
struct KernelConflicts {
    std::string kernel;
    std::vector<ConflictCount> columns;

    bool any() const;  // whether it uses shared memory
    // Whether columns with the same number of banks differ.
    bool paddingMatters(const std::vector<ConflictColumn>& shown) const;
    std::size_t phases() const;
};
// Counts every kernel of the solution; the columns keep the order that was asked for. n >= 1, and a length that
// countDispatches accepts.
std::vector<KernelConflicts> countConflicts(const Workload& work, std::uint64_t n,
                                            const std::vector<ConflictColumn>& columns);
// 32 banks and 16 banks, each padded and not, for kernels in this shape.
std::vector<ConflictColumn> usualColumns(const KernelShape& shape);

}  // namespace a2
