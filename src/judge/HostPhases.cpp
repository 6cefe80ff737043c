#include "judge/HostPhases.h"

#include "gpu/Device.h"
#include "gpu/Shaders.h"
#include "judge/Steps.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t mostWalkedFor = std::uint64_t{1} << 28;  // of a run
constexpr std::uint64_t mostNumbers = std::uint64_t{1} << 20;    // that are kept of a dispatch's phases

// Whether each work-group writes elements that no other one writes.
bool groupsStandAlone(const Task& task, const DispatchCommand& dispatch)
{
    return groupsStandAlone(task.scheme.steps) || dispatch.groupCount() == 1;
}

// Elements of the result that each work-group writes: one for sums, a tile for scans.
std::uint64_t elementsOfGroup(const KernelShape& shape, const DispatchCommand& dispatch,
                              const ExpectedElements& expected)
{
    return expected.values.size() <= dispatch.groupCount() ? 1 : shape.tile();
}

// Whether the device has the same values.
bool agrees(const Contents& onHost, const Contents& onDevice)
{
    return std::all_of(onHost.begin(), onHost.end(), [&](const auto& one) {
        const auto there = onDevice.find(one.first);
        return there != onDevice.end() && there->second == one.second;
    });
}

}  // namespace

const Phase* DispatchPhases::firstWrong() const
{
    const auto found = std::find_if(phases.begin(), phases.end(),
                                    [](const Phase& one) { return one.judgement.verdict == StepVerdict::wrong; });
    return found == phases.end() ? nullptr : &*found;
}

HostPhases::HostPhases(Device& gpu, const Trial& trial, const Task& task, const Expectation& expectation,
                       std::uint64_t group, std::uint32_t poison, bool traces)
    : trial_(trial), task_(task), expectation_(expectation), group_(group), subgroupSize_(gpu.subgroupSize)
{
    walk(gpu, poison, traces);
}

void HostPhases::walk(Device& gpu, std::uint32_t poison, bool traces)
{
    const InPhase walking(gpu, "walking through the kernels on the host");
    const StudentSolution& solution = trial_.solution();
    const Recording& recording = solution.recording();
    EmulatedRun run(recording, shadersOf(gpu), givenWords(expectation_));
    EmulatorSettings settings;
    settings.subgroupSize = subgroupSize_;
    settings.budget = mostWalkedFor;
    settings.watched = group_;
    settings.watchesAll = settings.traces = settings.counts = traces;
    Walked walked;
    std::uint64_t numbers = 0;
    settings.seen = [&](const EmulatorSettings::SeenPhase& phase) {
        for (const auto& one : phase.shared) numbers += one.numbers.size();
        walked.cut = walked.cut || (numbers > mostNumbers && !walked.phases.empty());
        if (!walked.cut) walked.phases[phase.group].push_back(phase);
    };
    run.walk(
        solution.run(), settings,
        [&](const EmulatedStep& step) {
            walked.complete = step.problem.empty() && step.walk.complete;
            walked.trace = step.walk.trace;
            const auto why = step.notWalked();
            walked.why = why ? why->why : "it could not be walked on the host to its end";
            for (Index i = 0; i < recording.buffers.size(); ++i) {
                if (recording.buffers[i].lifetime != RecordedBuffer::Lifetime::run) continue;
                const auto use = std::find_if(step.walk.uses.begin(), step.walk.uses.end(),
                                              [&](const EmulatedUse& one) { return one.buffer == &run.buffer(i); });
                if (use == step.walk.uses.end()) continue;
                const bool written =
                    std::any_of(use->written.begin(), use->written.end(), [](auto bits) { return bits; });
                const auto words = run.buffer(i).words();
                std::vector<std::uint32_t>& kept = (written ? walked.left : walked.found)[i];
                kept.assign(words.begin(), words.end());
                expectation_.element().toNumbers(kept);
            }
            dispatches_.push_back(std::move(walked));
            walked = {};
            numbers = 0;
        },
        poison);
}

bool HostPhases::isWrong(const DispatchCommand& dispatch, const StepJudgement& judged, const Walked& walked,
                         std::uint64_t group) const
{
    if (judged.verdict != StepVerdict::wrong || !groupsStandAlone(task_, dispatch)) return false;
    for (const ExpectedElements& one : judged.expected) {
        const auto left = walked.left.find(one.buffer);
        if (left == walked.left.end()) continue;
        const std::uint64_t each = elementsOfGroup(expectation_.shape(), dispatch, one);
        const std::uint64_t end = std::min<std::uint64_t>((group + 1) * each, one.values.size());
        for (std::uint64_t i = group * each; i < end; ++i) {
            const std::uint64_t at = one.first + i * one.stride;
            if (at >= left->second.size() || left->second[at] != one.values[i]) return true;
        }
    }
    return false;
}

std::optional<std::uint64_t> HostPhases::wrongGroup(const Task& task, const KernelShape& shape,
                                                    const DispatchCommand& dispatch, const StepJudgement& judged)
{
    if (!judged.firstWrong || !groupsStandAlone(task, dispatch)) return {};
    for (const ExpectedElements& one : judged.expected)
        for (const BoundBuffer& bound : dispatch.buffers)
            if (bound.buffer == one.buffer && bound.name == judged.firstWrong->buffer)
                return (judged.firstWrong->index - one.first) / one.stride / elementsOfGroup(shape, dispatch, one);
    return {};
}

PhaseJudgements HostPhases::judge(const DispatchCommand& dispatch, const StepJudgement& judged, const Contents& before,
                                  const Walked& walked, std::uint64_t group) const
{
    PhaseContext context;
    context.shape = expectation_.shape();
    context.subgroupSize = subgroupSize_;
    context.group = group;
    context.element = &expectation_.element();
    context.scans = task_.taskClass->addsUp && task_.taskClass->fixedResults == 0;
    context.resultWrong = agrees(walked.found, before) && isWrong(dispatch, judged, walked, group);
    for (const BoundBuffer& one : dispatch.buffers) {
        const auto data = before.find(one.buffer);
        if (!one.reads || one.uniform || data == before.end()) continue;
        const auto elementOf = [&](std::uint64_t byte) {
            return static_cast<std::ptrdiff_t>(
                std::min<std::uint64_t>(byte / sizeof(std::uint32_t), data->second.size()));
        };
        context.sources.emplace_back(data->second.begin() + elementOf(one.offset),
                                     data->second.begin() + elementOf(one.offset + one.range));
    }
    return judgePhases(walked.phases.at(group), context);
}

std::optional<DispatchTrace> HostPhases::traceOf(const DispatchCommand& dispatch, const StepJudgement& judged,
                                                 const Contents& before)
{
    if (dispatch.index >= dispatches_.size() || !dispatches_[dispatch.index].complete) return {};
    Walked& walked = dispatches_[dispatch.index];
    DispatchTrace found;
    for (const auto& [group, phases] : walked.phases) {
        if (phases.front().shared.empty()) continue;
        found.shared = phases.front().shared;
        const PhaseJudgements judgements = judge(dispatch, judged, before, walked, group);
        for (std::size_t i = 0; i < phases.size(); ++i)
            for (const ExpectedNumber& one : judgements.phases[i].expected) {
                const EmulatorSettings::SharedVariable& variable = phases[i].shared[one.variable];
                found.wrong.push_back(
                    {group,
                     i,
                     {variable.name, one.index, one.value,
                      expectation_.element().number(static_cast<std::uint32_t>(variable.numbers[one.index])),
                      !variable.set[one.index]}});
            }
    }
    found.trace = std::move(walked.trace);
    return found;
}

DispatchPhases HostPhases::of(const DispatchCommand& dispatch, const StepJudgement& judged, const Contents& before,
                              const Contents& after) const
{
    DispatchPhases found;
    found.group = group_;
    if (dispatch.index >= dispatches_.size()) {
        found.remark = "no phases: a dispatch before it could not be walked on the host to its end";
        return found;
    }
    const Walked& walked = dispatches_[dispatch.index];
    if (!walked.complete) {
        found.remark = "no phases: " + walked.why;
        return found;
    }
    if (group_ >= dispatch.groupCount()) {
        found.remark = fmt::format("no phases: it has no work-group {}", group_);
        return found;
    }
    const auto phases = walked.phases.find(group_);
    if (phases == walked.phases.end() || phases->second.front().shared.empty()) {
        found.remark = "no phases: its kernel has no shared memory";
        return found;
    }
    PhaseJudgements judgements = judge(dispatch, judged, before, walked, group_);
    for (std::size_t i = 0; i < phases->second.size(); ++i)
        found.phases.push_back({phases->second[i], std::move(judgements.phases[i])});
    found.remark = judgements.remark;
    if (const auto wrong = wrongGroup(task_, expectation_.shape(), dispatch, judged); wrong && *wrong != group_)
        found.remark =
            fmt::format("the first wrong element is of work-group {}: look at that (--group {})", *wrong, *wrong);
    if (walked.cut) found.remark = fmt::format("only its first {} phases are kept", phases->second.size());
    if (!agrees(walked.found, before) || !agrees(walked.left, after))
        found.remark = "walked on the host, it does not leave what it leaves on this device";
    return found;
}

}  // namespace a2
