#include "theory/Theory.h"

#include "a2/Error.h"
#include "judge/Matrix.h"
#include "judge/StudentSolution.h"

#include <algorithm>
#include <set>

namespace a2 {

namespace {

// What is counted, on a device, and never submitted.
class Counted {
public:
    Counted(Device& gpu, const Workload& workload, const KernelShape& shape)
        : input_(gpu, "input", workload.n), work_(workload.prepare(gpu, shape, input_))
    {
        if (const auto& findings = work_->log().findings(); !findings.empty())
            throw KernelError(findings.front().text());
    }
    std::vector<const DispatchCommand*> dispatches() const { return work_->log().dispatches(); }

private:
    DeviceBuffer input_;
    std::unique_ptr<Runnable> work_;
};

// The offset task's own buffer beside it.
class WithOffsets : public Runnable {
public:
    WithOffsets(Device& gpu, const Task& task, const KernelShape& shape, const DeviceBuffer& input)
        : offsets_(gpu, "block offsets", ceilDiv(input.elements(), shape.tile())),
          inner_(gpu, task, shape, input, &offsets_, input.elements())
    {
    }
    void record(vk::CommandBuffer cb) override { inner_.record(cb); }
    const CommandLog& log() const override { return inner_.log(); }
    const DeviceBuffer& result() const override { return inner_.result(); }

private:
    DeviceBuffer offsets_;
    StudentSolution inner_;
};

}  // namespace

Workload workloadOf(Device& gpu, const Task& task, std::uint64_t n)
{
    checkSize(gpu, task, n);
    return {n, [task](Device& on, const KernelShape& shape, const DeviceBuffer& input) -> std::unique_ptr<Runnable> {
                if (task.taskClass->givenBlockOffsets) return std::make_unique<WithOffsets>(on, task, shape, input);
                return std::make_unique<StudentSolution>(on, task, shape, input, nullptr, input.elements());
            }};
}

bool CountedDispatch::complete() const
{
    return phases && std::all_of(phases->begin(), phases->end(), [](const PhaseCounts& one) { return one.lost == 0; });
}

std::vector<CountedDispatch> countDispatches(Device& gpu, const Workload& workload, const KernelShape& shape,
                                             std::uint64_t budget)
{
    std::vector<CountedDispatch> counted;
    if (workload.n == 0) return counted;
    const Counted recording(gpu, workload, shape);
    for (const DispatchCommand* one : recording.dispatches()) {
        CountedDispatch& into = counted.emplace_back();
        into.label = one->label;
        into.kernel = one->kernel;
        into.groups = one->groups;
        if (!one->groupCheck) continue;
        into.phases = KernelCounts(*one->groupCheck, one->groups, one->push, budget).ofAll();
    }
    return counted;
}

Measures measures(const std::vector<CountedDispatch>& dispatches, std::optional<std::uint64_t> processors)
{
    Measures sum;
    std::vector<std::uint64_t> active;  // of every step
    for (const CountedDispatch& one : dispatches) {
        sum.complete = sum.complete && one.complete();
        if (!one.phases) continue;
        for (const PhaseCounts& phase : *one.phases) {
            active.insert(active.end(), phase.active.begin(), phase.active.end());
            sum.additions += phase.additions;
            sum.reads += phase.reads;
            sum.writes += phase.writes;
        }
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
    return std::any_of(columns.begin(), columns.end(), [](const KernelCounts::Conflicts& column) {
        return std::any_of(column.begin(), column.end(), [](const auto& one) { return one != 0U; });
    });
}

bool KernelConflicts::known() const
{
    return std::all_of(columns.begin(), columns.end(), [](const KernelCounts::Conflicts& column) {
        return std::all_of(column.begin(), column.end(), [](const auto& one) { return one.has_value(); });
    });
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
    for (const auto& column : columns) most = std::max(most, column.size());
    return most;
}

std::vector<KernelConflicts> countConflicts(Device& gpu, const Workload& workload,
                                            const std::vector<ConflictColumn>& columns)
{
    std::vector<KernelConflicts> kernels;
    std::vector<std::uint64_t> dispatches;  // of each kernel, the first
    if (workload.n == 0) return kernels;
    for (const ConflictColumn& column : columns) {
        const Counted recording(gpu, workload, column.shape);
        const auto recorded = recording.dispatches();
        if (kernels.empty()) {
            std::set<std::string> seen;
            for (const DispatchCommand* one : recorded) {
                if (!one->groupCheck || one->groupCount() == 0 || !seen.insert(one->kernel).second) continue;
                kernels.push_back({one->kernel, {}});
                dispatches.push_back(one->index);
            }
        }
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const DispatchCommand* one = dispatches[i] < recorded.size() ? recorded[dispatches[i]] : nullptr;
            std::uint64_t budget = UINT64_MAX;  // it is one work-group
            kernels[i].columns.push_back(one && one->groupCheck && one->groupCount() > 0
                                             ? KernelCounts(*one->groupCheck, one->groups, one->push, budget)
                                                   .conflicts(0, column.banks, column.banks)
                                             : KernelCounts::Conflicts());
        }
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
