// The theory of a solution, counted from what it records: parallel time, cost and work, global reads and writes, bank
// conflicts. The solution records, and is not run; its kernels are followed on the host (KernelCounts).
#pragma once

#include "judge/Runnable.h"
#include "spirv/KernelCounts.h"
#include "tasks/Task.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What is counted: a task, or anything else that can be recorded.
struct Workload {
    std::uint64_t n = 0;  // elements of the input
    std::function<std::unique_ptr<Runnable>(Device&, const KernelShape&, const DeviceBuffer& input)> prepare;
};
// Throws LimitError if the device or this host has no room for it.
Workload workloadOf(Device& gpu, const Task& task, std::uint64_t n);

struct CountedDispatch {
    std::string label, kernel;
    std::array<std::uint32_t, 3> groups{};
    std::optional<Phases> phases;  // of all work-groups together; empty: they differ so much that not all were followed

    std::uint64_t groupCount() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
    bool complete() const;  // every invocation was followed to its end
};
// budget: instructions that may be followed (KernelCounts).
// Throws LimitError where the device cannot run it, KernelError for what is wrong with the solution.
std::vector<CountedDispatch> countDispatches(Device& gpu, const Workload& workload, const KernelShape& shape,
                                             std::uint64_t budget = 100'000'000);

// The measures of parallel algorithms. Dispatches, and phases between barrier() calls, go one after the other; inside
// them `active` has the parallel steps.
struct Measures {
    std::uint64_t processors = 0;  // p; if none is given, the most invocations that are active in one step
    std::uint64_t time = 0;        // T(n, p) in steps: a step of more invocations than p takes several
    std::uint64_t work = 0;        // W(n): active invocations, added up over the steps
    std::uint64_t shortest = 0;    // T(n, p) with as many processors as could be used
    std::uint64_t additions = 0, reads = 0, writes = 0;  // as in PhaseCounts
    bool complete = true;                                // otherwise the numbers are what was followed, and too small

    std::uint64_t cost() const { return processors * time; }  // C(n, p)
};
Measures measures(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors = {});

// The worst bank conflict of each phase of a kernel's first work-group, in several columns.
struct ConflictColumn {
    std::string title;
    std::uint32_t banks;  // of the memory, and the invocations that access it together
    KernelShape shape;    // with the banks that the kernel pads for
};
struct KernelConflicts {
    std::string kernel;
    std::vector<KernelCounts::Conflicts> columns;

    bool any() const;    // whether it uses shared memory
    bool known() const;  // whether all of it could be followed
    // Whether columns of as many banks differ.
    bool paddingMatters(const std::vector<ConflictColumn>& shown) const;
    std::size_t phases() const;
};
// Of every kernel of the solution; columns in the order that is asked for.
std::vector<KernelConflicts> countConflicts(Device& gpu, const Workload& workload,
                                            const std::vector<ConflictColumn>& columns);
// 32 banks and 16 banks, each padded and not, for kernels in this shape.
std::vector<ConflictColumn> usualColumns(const KernelShape& shape);

}  // namespace a2
