// Trial: what is wrong with a run, whatever came out of it.

#include "a2/Error.h"
#include "judge/ShortRuns.h"
#include "judge/Trial.h"
#include "lint/Lint.h"
#include "lint/UsefulWork.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

bool isHazard(const Finding& one) { return one.rule == "missing-barrier" || one.rule == "weak-barrier"; }

}  // namespace

// The look at the current run, if it is a short one: what one run was found to do, one like it does, too.
EmulatedLook* Trial::walked()
{
    const StudentSolution& solution = *solutions_.front();
    if (leftAlone_ || expectation_.input().size() > largestOnHost || !solution.runnable()) return nullptr;
    if (onHost_ && onHost_->run() == solution.run()) return &*onHost_;
    onHost_.emplace(gpu_, solution.replay(), solution.run(), expectation_, keepsInput_);
    if (tellWalk_ && anyFails(onHost_->verdict().findings)) tellWalk_(onHost_->verdict());
    return &*onHost_;
}

void Trial::lintRun(const EmulatedLook* onHost, Verdict& verdict)
{
    const vk::Buffer result = this->result().handle();
    const bool given = result == input_.input().handle() && !verdict.mismatches;
    const bool exact = onHost && onHost->complete();
    std::vector<Finding> findings = lint(log(), result, given, exact ? onHost->words() : WordsOfDispatches());
    if (!exact && std::any_of(findings.begin(), findings.end(), isHazard))
        for (Finding& one : findings)
            if (isHazard(one) && apartOnShorter().count(one.cause) > 0) {
                one.severity = Severity::note;
                one.message += "; in shorter runs the two use different elements";
            }
    const auto add = [&verdict](const std::vector<Finding>& more) {
        verdict.findings.insert(verdict.findings.end(), more.begin(), more.end());
    };
    add(findings);
    if (!onHost) return;
    add(onHost->verdict().findings);
    if (!onHost->mayRun())
        add({{"", "this device might not survive it: it was only walked on the host", {}, Severity::note}});
    verdict.file = onHost->verdict().file;
    verdict.line = onHost->verdict().line;
    // After a wrong step nobody knows what would have been new.
    if (exact && !verdict.mismatches)
        add(wastedInvocations(log(), onHost->words(), [this](const DispatchCommand& one) { return isFixedGrid(one); }));
    if (exact) compareWithHost(*onHost, verdict);
}

void Trial::compareWithHost(const EmulatedLook& onHost, Verdict& verdict) const
{
    std::string note;
    if (onHost.mismatches() && !verdict.mismatches)
        note = fmt::format("walked on the host {}, and not on this device", wrongText(*onHost.mismatches()));
    else if (!onHost.mismatches() && verdict.mismatches && !anyFails(verdict.findings))
        note = fmt::format(
            "walked on the host with subgroups of {}, the result is right: what this device makes of it "
            "differs",
            gpu_.subgroupSize);
    if (!note.empty()) verdict.findings.push_back({"", note, {}, Severity::note, "walked on the host"});
}

// Where nobody knows which words dispatches use, what they bind counts. So two that use different halves of a buffer
// look as if they needed a barrier: a short run that is walked on the host shows whether they do.
const std::set<std::string>& Trial::apartOnShorter()
{
    if (apart_) return *apart_;
    apart_.emplace();
    const Input input(Pattern::parse("random"), std::min(expectation_.input().size(), largestOnHost), 1);
    const Expectation expectation(*task_.taskClass, input, expectation_.shape());
    const DeviceInput onDevice(gpu_, expectation);
    Trial shorter(gpu_, task_, expectation, onDevice);
    shorter.solutions_.front()->next();
    const EmulatedLook* look = shorter.walked();
    if (!look || !look->complete()) return *apart_;
    for (const Finding& one : hazards(shorter.log().commands())) apart_->insert(one.cause);
    for (const Finding& one : hazards(shorter.log().commands(), look->words())) apart_->erase(one.cause);
    return *apart_;
}

// A kernel that loops over the array may be started with the same work-groups for each length.
bool Trial::isFixedGrid(const DispatchCommand& dispatch)
{
    if (!longer_) {
        longer_.emplace();
        const KernelShape& shape = expectation_.shape();
        try {
            const Recording recording =
                recordingOf(gpu_, task_, shape, lengthOfMoreGroups(expectation_.input().size(), shape));
            for (const RecordedCommand& command : recording.runs.front().commands)
                if (const auto* one = std::get_if<RecordedDispatch>(&command)) longer_->push_back(one->groups);
        } catch (const Error&) {  // nobody knows, then
        }
    }
    return dispatch.index < longer_->size() && (*longer_)[dispatch.index] == dispatch.groups;
}

Verdict Trial::onOtherDevices() { return onHost_ && onHost_->complete() ? onHost_->onOtherDevices() : Verdict(); }

}  // namespace a2
