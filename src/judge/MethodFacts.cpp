#include "judge/MethodFacts.h"

#include "gpu/Shaders.h"
#include "judge/Comparison.h"
#include "judge/EmulatedLook.h"
#include "tasks/Expectation.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace a2 {

namespace {

constexpr std::uint64_t mostInstructionsOfWay = std::uint64_t{1} << 26;  // of all kernels of a run

void addUses(const std::vector<EmulatedUse>& uses, MethodDispatch& made)
{
    bool any = false;
    for (const EmulatedUse& use : uses) {
        made.read += countOf(use.read);
        made.written += countOf(use.written);
        for (std::size_t i = 0; i < std::min(use.read.size(), use.written.size()); ++i)
            made.readAndWritten += static_cast<std::uint64_t>(std::popcount(use.read[i] & use.written[i]));
        const auto words = std::as_const(*use.buffer).words();
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (!EmulatedUse::has(use.written, i)) continue;
            made.results += words[i] != 0;
            if (!std::exchange(any, true)) made.firstWritten = words[i];
        }
    }
}

MethodDispatch dispatchOf(const EmulatedStep& step)
{
    MethodDispatch made;
    made.number = step.number;
    made.pipeline = *step.dispatch->pipeline;
    made.groups = std::uint64_t{step.groups[0]} * step.groups[1] * step.groups[2];
    made.workGroup = made.groups > 0 ? step.walk.invocations / made.groups : 0;
    addUses(step.walk.uses, made);
    for (const auto& phase : step.walk.phases) {
        made.additions += phase.additions;
        made.steps += phase.active.size();
        made.alone += static_cast<std::uint64_t>(std::count_if(
            phase.active.begin(), phase.active.end(), [&](std::uint64_t active) { return active <= made.groups; }));
    }
    for (const std::uint64_t count : step.walk.sharedAtomics) made.sharedAtomics += count;
    for (const std::uint32_t ways : step.walk.conflicts) made.worstConflict = std::max(made.worstConflict, ways);
    made.usesShared = made.worstConflict > 0;
    return made;
}

}  // namespace

const MethodDispatch& MethodFacts::main() const
{
    const auto found =
        std::find_if(dispatches.begin(), dispatches.end(), [](const MethodDispatch& one) { return one.usesShared; });
    return found == dispatches.end() ? first() : *found;
}

std::span<const std::uint32_t> MethodFacts::kernel(Device& gpu, const MethodDispatch& dispatch) const
{
    return codeOf(gpu, recording.pipelines[dispatch.pipeline]);
}

std::string MethodFacts::fileOf(const MethodDispatch& dispatch) const
{
    const std::string& shader = recording.pipelines[dispatch.pipeline].shader;
    return shader.empty() ? "" : shader + ".comp";
}

std::optional<MethodFacts> methodFacts(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                       std::uint64_t seed, const Recording& recording)
{
    MethodFacts facts{task, shape, n, {}, recording, {}, false};
    const InPhase walking(gpu, "walking through the kernels on the host");
    const Input input = task.inputOf(Pattern::parse("random"), n, seed);
    const Expectation expectation(*task.taskClass, input, shape);
    const GivenWords given = givenWords(expectation);
    facts.input = given.input;
    task.element->toNumbers(facts.input);
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = mostInstructionsOfWay;
    settings.checks = false;
    settings.counts = true;
    settings.watched = 0;
    EmulatedRun run(facts.recording, shadersOf(gpu), given);
    const bool complete = run.walk(facts.recording.runs.front(), settings, [&](const EmulatedStep& step) {
        if (!step.walk.complete) return;
        MethodDispatch made = dispatchOf(step);
        made.firstWritten = task.element->number(made.firstWritten);
        if (made.written > 0) facts.dispatches.push_back(std::move(made));
    });
    if (!complete || facts.dispatches.empty()) return std::nullopt;
    facts.right = !judged(run.buffer(facts.recording.runs.front().result).words(), expectation);
    return facts;
}

}  // namespace a2
