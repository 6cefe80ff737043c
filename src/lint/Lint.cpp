#include "lint/Lint.h"

#include "lint/Hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::string noGroupsText(const DispatchCommand& one)
{
    return fmt::format("dispatch {} '{}' starts {} x {} x {} work-groups, which is none", one.index, one.label,
                       one.groups[0], one.groups[1], one.groups[2]);
}

void findEmptyDispatches(const CommandLog& log, std::vector<Finding>& findings)
{
    for (const DispatchCommand* one : log.dispatches())
        if (one->groupCount() == 0 && (!one->indirect || one->indirect->known))
            findings.push_back(
                {"empty-dispatch",
                 noGroupsText(*one) + ": every dimension must be at least 1 where something is to be done", one->index,
                 Severity::note, "a dimension of 0"});
}

// Finds kernels with a fixed work-group size that ignore the size asked for; reports each once. Host code may give a
// kernel another size than the run's if most of the work is done in work-groups of the run's size.
void findFixedShapes(const CommandLog& log, const AskedShape& asked, std::vector<Finding>& findings)
{
    const std::vector<const DispatchCommand*> dispatches = log.dispatches();
    const auto isAsAsked = [&](const DispatchCommand& one) {
        return one.facts && one.groupSize() == (asked.workGroup > 0 ? asked.workGroup : one.workGroup);
    };
    std::uint64_t mostAsAsked = 0;  // work-groups
    for (const DispatchCommand* one : dispatches)
        if (isAsAsked(*one)) mostAsAsked = std::max(mostAsAsked, one->groupCount());
    std::set<const KernelFacts*> said;
    for (const DispatchCommand* one : dispatches) {
        if (!one->facts || one->workGroup == 0 || isAsAsked(*one)) continue;
        std::uint32_t wanted = one->workGroup;
        if (one->groupSize() == wanted) {  // the host code chose this size
            const auto& kernels = asked.kernels;
            const bool ofRow = std::find(kernels.begin(), kernels.end(), one->shader) != kernels.end();
            if (!ofRow || one->groupCount() <= mostAsAsked) continue;
            wanted = asked.workGroup;
        }
        if (!said.insert(one->facts).second || (asked.follows && asked.follows(*one))) continue;
        findings.push_back(
            {"fixed-shape",
             fmt::format("dispatch {} '{}': kernel {} has {}, and work-groups of {} were asked for: take "
                         "the size from specialisation constant 0, as include/A2Kernels.h does, and from the shape "
                         "that the solution is made with",
                         one->index, one->label, one->kernel, localSizeText(*one->facts), wanted),
             one->index});
    }
}

// For dispatches that all have one set of buffers, of which none is written as the result. Kernels that work in place
// have that, too, and name a wrong result: so both are said.
std::string cureOfSameBuffers(const CommandLog& log)
{
    const std::vector<const DispatchCommand*> dispatches = log.dispatches();
    std::string written;
    for (const BoundBuffer& one : dispatches.front()->buffers)
        if (one.writes && written.empty()) written = one.name;
    if (dispatches.size() < 2 || written.empty()) return {};
    for (const DispatchCommand* dispatch : dispatches)
        if (!dispatch->bindsAs(*dispatches.front())) return {};
    return fmt::format(
        "; all of them have the same buffers bound, and write '{}': bind the descriptor set of each before it, or let "
        "result() name what they write",
        written);
}

// For a result that the last dispatch which has it only reads, and another buffer that this one writes.
std::string cureOfReader(const CommandLog& log, Index result)
{
    std::string found;
    for (const DispatchCommand* dispatch : log.dispatches()) {
        const BoundBuffer *read = nullptr, *written = nullptr;
        for (const BoundBuffer& one : dispatch->buffers) {
            if (one.buffer == result && one.reads && !read) read = &one;
            if (one.writes && !written) written = &one;
        }
        if (!read || !written) continue;
        found = fmt::format(
            "; dispatch {} '{}' has it at binding {} ('{}'), which the kernel only reads, and '{}' at binding {} "
            "('{}'), which it writes: swap the two where the descriptor set is made, or let result() name what is "
            "written",
            dispatch->index, dispatch->label, read->binding, read->block, written->name, written->binding,
            written->block);
    }
    return found;
}

std::string cureOfNoWriter(const CommandLog& log, const NamedResult& named)
{
    const Index result = named.buffer;
    for (const DispatchCommand* dispatch : log.dispatches()) {
        if (dispatch->groupCount() == 0) return "; " + noGroupsText(*dispatch) + ": round up their number";
        for (const DispatchCommand::Unseen& one : dispatch->unseen)
            if (one.buffer == result)
                return fmt::format(": it is bound at binding {}, which kernel {} does not declare; declare it there",
                                   one.binding, dispatch->kernel);
    }
    if (std::string cure = cureOfSameBuffers(log); !cure.empty()) return cure;
    // That a kernel reads the input is as it should be.
    if (std::string cure = named.isInput ? "" : cureOfReader(log, result); !cure.empty()) return cure;
    return "; let result() name the buffer that the last dispatch writes";
}

// Finds out whether a dispatch computed the result.
void findResultNobodyComputed(const CommandLog& log, const NamedResult& named, std::uint64_t resultBytes,
                              std::vector<Finding>& findings)
{
    const Index result = named.buffer;
    // Buffers with words that a dispatch wrote, and how many bytes other calls have since put over them.
    std::map<Index, std::uint64_t> computed;
    const char* call = nullptr;  // the call that last wrote the result, if it was no dispatch
    bool touched = false;
    for (const Command& command : log.commands()) {
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) {
            if (dispatch->groupCount() == 0) continue;
            for (const BoundBuffer& one : dispatch->buffers)
                if (one.writes) computed[one.buffer] = 0;
        } else if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
            touched = touched || transfer->to == result;
            if (transfer->from && computed.count(*transfer->from)) {
                computed.try_emplace(transfer->to, 0);
            } else {
                const auto over = computed.find(transfer->to);
                if (over != computed.end() && 2 * (over->second += transfer->region.size) > resultBytes)
                    computed.erase(over);
                if (transfer->to == result) call = transfer->call;
            }
        }
    }
    if (computed.count(result) || (named.isInput && named.isRight && !touched)) return;
    // A dispatch without bound pipeline writes nothing; that is already reported.
    if (std::any_of(findings.begin(), findings.end(), [](const Finding& one) { return one.rule == "no-dispatch"; }))
        return;
    const std::size_t dispatches = log.dispatches().size();
    std::string message;
    if (call)
        message =
            fmt::format("the result was put there by {}, not by a dispatch; let the last dispatch write it", call);
    else if (dispatches == 0 && named.isInput && !touched)
        message =
            "record() recorded no dispatch, and result() names the input, which is not the result here: dispatch "
            "what makes it of it";
    else if (dispatches == 0)
        message =
            "record() recorded no dispatch, and result() names a buffer that was never written; call cb.dispatch(), or "
            "where nothing is to be done let result() name what was given";
    else
        message = fmt::format("{} the buffer that result() returns{}",
                              dispatches == 1 ? "the only dispatch does not write"
                                              : fmt::format("none of the {} dispatches writes", dispatches),
                              cureOfNoWriter(log, named));
    findings.push_back({"no-dispatch", message, {}});
}

}  // namespace

std::vector<Finding> lint(const CommandLog& log, const NamedResult& result, const WordsOfDispatches& words,
                          const AskedShape& asked)
{
    std::vector<Finding> findings = log.findings();
    findEmptyDispatches(log, findings);
    findFixedShapes(log, asked, findings);
    findResultNobodyComputed(log, result, asked.resultBytes, findings);
    for (Finding& hazard : hazards(log.commands(), words)) findings.push_back(std::move(hazard));
    return findings;
}

}  // namespace a2
