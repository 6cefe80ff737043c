#include "judge/RunLint.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/ShortRuns.h"
#include "lint/EmulatedFindings.h"
#include "lint/EmulatedSample.h"
#include "lint/Lint.h"
#include "lint/UsefulWork.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// Instructions: of each long run, and where it must be known which words its dispatches use.
constexpr std::uint64_t mostSampled = std::uint64_t{1} << 21, mostSampledForWords = std::uint64_t{1} << 27;

bool isHazard(const Finding& one) { return one.rule == "missing-barrier" || one.rule == "weak-barrier"; }

}  // namespace

EmulatedLook* RunLint::walked()
{
    if (leftAlone_ || expectation_.input().size() > longestWalked_ || !solution_.runnable()) return nullptr;
    if (onHost_ && onHost_->run() == solution_.run()) return &*onHost_;
    onHost_.emplace(gpu_, solution_.recording(), solution_.run(), expectation_, task_.keepsInput);
    if (tellWalk_ && anyFails(onHost_->verdict().findings)) tellWalk_(onHost_->verdict());
    return &*onHost_;
}

const SampledWalk* RunLint::sampled()
{
    if (leftAlone_ || expectation_.input().size() <= longestWalked_ || !solution_.runnable()) return nullptr;
    if (sampled_) return &*sampled_;
    sampled_.emplace();
    sample(mostSampled, {{}, [&](const EmulatedStep& step) {
                             sampled_->endangers = sampled_->endangers || step.walk.endangers;
                             Verdict& verdict = sampled_->verdict;
                             if (verdict.findings.empty()) {
                                 verdict.file = underShaders(step.walk.findings.front().where.file);
                                 verdict.line = step.walk.findings.front().where.line;
                             }
                             for (Finding& one : findingsOf(solution_.recording(), step))
                                 verdict.findings.push_back(std::move(one));
                         }});
    return &*sampled_;
}

void RunLint::sample(std::uint64_t instructions, const SampleSeen& seen) const
{
    const InPhase walking(gpu_, "walking through some work-groups on the host");
    EmulatorSettings settings;
    settings.subgroupSize = gpu_.subgroupSize;
    settings.budget = instructions;
    const auto given = [&](RecordedBuffer::Role role, std::uint64_t word) {
        return role == RecordedBuffer::Role::input ? expectation_.givenWord(word) : expectation_.offsetWord(word);
    };
    try {
        walkSample(solution_.recording(), solution_.run(), shadersOf(gpu_), given, settings, seen);
    } catch (const std::bad_alloc&) {  // this machine has no address space for it
    }
}

void RunLint::lint(const EmulatedLook* onHost, Verdict& verdict)
{
    const Index result = solution_.run().result;
    const NamedResult named{result, solution_.recording().buffers[result].role == RecordedBuffer::Role::input,
                            !verdict.mismatches};
    const bool exact = onHost && onHost->complete();
    const AskedShape asked{expectation_.shape().workGroup, task_.shaders,
                           [this](const DispatchCommand& one) { return followsShape(one); },
                           expectation_.resultSize() * sizeof(std::uint32_t)};
    std::vector<Finding> findings =
        a2::lint(solution_.log(), named, exact ? onHost->words() : WordsOfDispatches(), asked);
    // The text has the barrier: record() did not come by it this time.
    if (const std::size_t number = solution_.number(); number > 0)
        for (Finding& one : findings)
            if (isHazard(one)) one.message = fmt::format("as record() recorded run {}, {}", number + 1, one.message);
    // One element needs no addition: a copy, or a zero, is the result.
    if (expectation_.input().size() == 1 && !verdict.mismatches)
        std::erase_if(findings, [](const Finding& one) { return one.rule == "no-dispatch" && !one.dispatch; });
    if (!exact && std::any_of(findings.begin(), findings.end(), isHazard)) lookForApart(findings);
    if (!exact && std::none_of(findings.begin(), findings.end(), isHazard) && namesParts())
        for (Finding& one : certainHazards()) findings.push_back(std::move(one));
    const auto add = [&verdict](const std::vector<Finding>& more) {
        verdict.findings.insert(verdict.findings.end(), more.begin(), more.end());
    };
    add(findings);
    if (const SampledWalk* some = onHost ? nullptr : sampled()) {
        add(some->verdict.findings);
        if (some->endangers)
            add({{"",
                  "this device might not survive it: some work-groups were walked on the host, and nothing was run",
                  {},
                  Severity::note}});
        verdict.file = some->verdict.file;
        verdict.line = some->verdict.line;
    }
    if (!onHost) return;
    add(onHost->verdict().findings);
    if (!onHost->mayRun())
        add({{"", "this device might not survive it: it was only walked on the host", {}, Severity::note}});
    verdict.file = onHost->verdict().file;
    verdict.line = onHost->verdict().line;
    // After a wrong step, it is unknown what would have been new.
    if (exact && !verdict.mismatches)
        add(wastedInvocations(solution_.log(), onHost->words(), task_.taskClass->compares,
                              [this](const DispatchCommand& one) { return isFixedGrid(one); }));
    if (exact) compareWithHost(*onHost, verdict);
}

void RunLint::compareWithHost(const EmulatedLook& onHost, Verdict& verdict) const
{
    std::string note;
    if (anyFails(onHost.verdict().findings)) return;  // their effect on the result proves nothing
    if (onHost.mismatches() && !verdict.mismatches)
        note = fmt::format("walked on the host {}, and not on this device",
                           wrongText(*onHost.mismatches(), expectation_.element()));
    else if (!onHost.mismatches() && verdict.mismatches && !anyFails(verdict.findings))
        note = fmt::format(
            "walked on the host with subgroups of {}, the result is right: what this device makes of it "
            "differs",
            gpu_.subgroupSize);
    if (!note.empty()) verdict.findings.push_back({"", note, {}, Severity::note, walkedOnHost});
}

// If it is unknown which words dispatches use, their bindings count. So two dispatches that use different halves of a
// buffer look as if they needed a barrier. Shorter runs show whether they do, and of a longer run some work-groups,
// which may use one word in dispatches that the shorter runs do not have.
// Those in words that some work-groups of a long run are known to use.
std::vector<Finding> RunLint::certainHazards()
{
    if (!sampledWords_) {
        sampledWords_.emplace();
        sample(mostSampledForWords, {[this](const EmulatedStep& step, Index buffer, const EmulatedUse& use) {
                   sampledWords_->add(step, buffer, use);
               }});
    }
    return sampledWords_->hazardsOf(solution_.log().commands());
}

// Whether a barrier is about a part of a buffer: without the words in use, it counts as one about all that is used.
bool RunLint::namesParts() const
{
    const auto isPart = [this](const Dependency& one) {
        return one.buffer && (one.offset > 0 || (one.size != VK_WHOLE_SIZE &&
                                                 one.size < solution_.recording().buffers[*one.buffer].bytes));
    };
    const std::vector<Command>& commands = solution_.log().commands();
    return std::any_of(commands.begin(), commands.end(), [&](const Command& command) {
        const auto* barrier = std::get_if<BarrierCommand>(&command);
        return barrier && std::any_of(barrier->dependencies.begin(), barrier->dependencies.end(), isPart);
    });
}

void RunLint::lookForApart(std::vector<Finding>& findings)
{
    const std::uint64_t n = expectation_.input().size();
    if (!apart_) apart_.emplace(gpu_, task_, expectation_.shape(), n, expectation_.input().seed(), task_.keepsInput);
    const auto isApart = [this](const Finding& one) { return isHazard(one) && apart_->isApart(one); };
    if (n <= longestApart) std::erase_if(findings, isApart);
    if (std::none_of(findings.begin(), findings.end(), isApart)) return;
    const std::vector<Finding> certain = certainHazards();
    for (Finding& one : findings) {
        if (!isApart(one)) continue;
        const auto same = std::find_if(certain.begin(), certain.end(),
                                       [&](const Finding& other) { return other.dispatch == one.dispatch; });
        if (same != certain.end()) {
            one = *same;
            continue;
        }
        one.severity = Severity::note;
        one.message.resize(std::min(one.message.size(), one.message.find(';')));
        one.message += "; in shorter runs the two use different elements, and then none is needed";
    }
}

// A kernel that loops over the array may be started with the same work-groups for each length.
bool RunLint::isFixedGrid(const DispatchCommand& dispatch)
{
    if (!longer_) {
        longer_.emplace();
        const KernelShape& shape = expectation_.shape();
        try {
            const Recording recording =
                recordingOf(gpu_, task_, shape, lengthOfMoreGroups(expectation_.input().size(), shape));
            for (const RecordedCommand& command : recording.runs.front().commands)
                if (const auto* one = std::get_if<RecordedDispatch>(&command)) longer_->push_back(one->groups);
        } catch (const Error&) {  // then it stays unknown
        }
    }
    return dispatch.index < longer_->size() && (*longer_)[dispatch.index] == dispatch.groups;
}

// Whether the kernel of a dispatch gets other work-groups if others are asked for.
bool RunLint::followsShape(const DispatchCommand& dispatch)
{
    if (!inOtherShape_) {
        inOtherShape_.emplace();
        const KernelShape shape = shapeOfOtherGroups(expectation_.shape());
        try {
            // A kernel that scans one number of each tile may have as many invocations as there are tiles, and so by
            // chance as many as in one of the two.
            for (const std::uint64_t n : {lengthOfManyTiles(1, shape), lengthOfFewTiles(shape)})
                noteSizes(recordingOf(gpu_, task_, shape, n));
        } catch (const Error&) {  // it supports no other shape: unknown
            return true;
        }
    }
    const std::vector<RecordedPipeline>& mine = solution_.recording().pipelines;
    if (inOtherShape_->empty()) return true;
    const std::size_t index = dispatch.pipeline.value_or(Index{UINT32_MAX});
    // Several pipelines may have the same kernel, and their numbers may differ in the other recording.
    for (std::size_t i = 0; i < inOtherShape_->size(); ++i) {
        const auto& [place, shader, size] = (*inOtherShape_)[i];
        const bool same = index < mine.size() && shader == mine[index].shader && (!shader.empty() || place == index);
        if (same && size != 0 && size != dispatch.groupSize()) return true;
    }
    return false;
}

// Of a recording in another shape: the sizes of its pipelines' work-groups.
void RunLint::noteSizes(const Recording& recording)
{
    std::vector<bool> dispatched(recording.pipelines.size());  // those that are made for show do not count
    for (const RecordedRun& run : recording.runs)
        for (const RecordedCommand& command : run.commands)
            if (const auto* one = std::get_if<RecordedDispatch>(&command); one && one->pipeline)
                dispatched[*one->pipeline] = true;
    for (Index i = 0; i < recording.pipelines.size(); ++i) {
        const RecordedPipeline& one = recording.pipelines[i];
        inOtherShape_->push_back(
            {i, one.shader,
             dispatched[i] ? kernelFacts(SpirvModule(codeOf(gpu_, one)), specialisationOf(one)).invocations() : 0});
    }
}

bool RunLint::talks() { return onHost_ && onHost_->complete() && onHost_->talks(); }

bool RunLint::isRight() const { return onHost_ && onHost_->complete() && !onHost_->mismatches(); }

bool RunLint::passes() const { return onHost_ && onHost_->complete() && onHost_->verdict().passed(); }

Verdict RunLint::onOtherSchedules(const std::optional<Schedule>& only)
{
    return onHost_ && onHost_->complete() && (only || onHost_->talks()) ? onHost_->onOtherSchedules(only) : Verdict();
}

Verdict RunLint::onOtherDevices()
{
    const bool isShort = expectation_.input().size() <= largestOnHost;
    return isShort && onHost_ && onHost_->complete() ? onHost_->onOtherDevices() : Verdict();
}

}  // namespace a2
