#include "observe/Lint.h"

#include "observe/Hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

void findEmptyDispatches(const CommandLog& log, std::vector<Finding>& findings)
{
    for (const DispatchCommand* one : log.dispatches())
        if (one->groupCount() == 0)
            findings.push_back({"empty-dispatch",
                                fmt::format("dispatch {} '{}' starts {} x {} x {} work-groups, which is none: every "
                                            "dimension must be at least 1",
                                            one->index, one->label, one->groups[0], one->groups[1], one->groups[2]),
                                one->index});
}

void findUnsynchronisedKernels(const CommandLog& log, std::vector<Finding>& findings)
{
    std::set<const KernelFacts*> seen;
    for (const DispatchCommand* one : log.dispatches()) {
        if (!one->facts || !seen.insert(one->facts).second) continue;
        for (const std::string& variable : one->facts->unsynchronised)
            findings.push_back({"missing-barrier",
                                fmt::format("dispatch {} '{}': in kernel {} some invocations write the shared variable "
                                            "'{}' and all use it, with no barrier() between",
                                            one->index, one->label, one->kernel, variable),
                                one->index});
    }
}

// A return that some invocations take while others go on to a barrier().
void findEarlyReturns(const CommandLog& log, std::vector<Finding>& findings)
{
    std::set<const KernelFacts*> seen;
    for (const DispatchCommand* one : log.dispatches()) {
        if (!one->facts || !one->facts->unequalBarriers || one->groupCount() == 0 || seen.count(one->facts)) continue;
        const auto unequal = one->facts->unequalBarriers(one->groups, one->push);
        if (!unequal) continue;
        seen.insert(one->facts);
        findings.push_back(
            {"missing-barrier",
             fmt::format("dispatch {} '{}': in kernel {} invocation {} of work-group {} comes to {} barrier() calls, "
                         "others to {}; all must come to each: put the condition round the work instead of returning",
                         one->index, one->label, one->kernel, unequal->invocation, unequal->group, unequal->passed,
                         unequal->others),
             one->index});
    }
}

// Who the result is from.
void findResultNobodyComputed(const CommandLog& log, vk::Buffer result, bool resultGiven,
                              std::vector<Finding>& findings)
{
    std::set<vk::Buffer> computed;  // buffers that hold what a dispatch wrote
    const char* call = nullptr;     // what last wrote the result, if it was no dispatch
    bool touched = false;
    for (const Command& command : log.commands()) {
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) {
            if (dispatch->groupCount() == 0) continue;
            for (const BoundBuffer& one : dispatch->buffers)
                if (one.writes) computed.insert(one.buffer);
        } else if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
            touched = touched || transfer->to == result;
            if (transfer->from && computed.count(transfer->from)) {
                computed.insert(transfer->to);
            } else {
                computed.erase(transfer->to);
                if (transfer->to == result) call = transfer->call;
            }
        }
    }
    if (computed.count(result) || (resultGiven && !touched)) return;
    const std::size_t dispatches = log.dispatches().size();
    std::string message;
    if (call)
        message = fmt::format("the result was put there by {}, not by a dispatch", call);
    else if (dispatches == 0)
        message = "record() recorded no dispatch";
    else
        message = fmt::format("none of the {} dispatches writes the buffer that result() returns", dispatches);
    findings.push_back({"no-dispatch", message, {}});
}

}  // namespace

const std::set<std::string>& lintRules()
{
    static const std::set<std::string> rules = {"no-dispatch",    "missing-barrier",    "weak-barrier",
                                                "empty-dispatch", "group-limit",        "range-limit",
                                                "stale-state",    "wasted-invocations", "push-constant-size",
                                                "out-of-bounds",  "unwritten-output",   "input-modified"};
    return rules;
}

std::vector<Finding> lint(const CommandLog& log, vk::Buffer result, bool resultGiven)
{
    std::vector<Finding> findings = log.findings();
    findEmptyDispatches(log, findings);
    findResultNobodyComputed(log, result, resultGiven, findings);
    for (Finding& hazard : hazards(log.commands())) findings.push_back(std::move(hazard));
    findUnsynchronisedKernels(log, findings);
    findEarlyReturns(log, findings);
    return findings;
}

}  // namespace a2
