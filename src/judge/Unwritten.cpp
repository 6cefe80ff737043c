#include "judge/Unwritten.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/ShortRuns.h"
#include "judge/StudentSolution.h"

#include <algorithm>

namespace a2 {

namespace {

// Or tries to: a call that failed is a start, too.
bool recordsWork(const Recording& recording)
{
    return std::any_of(recording.runs.begin(), recording.runs.end(), [](const RecordedRun& run) {
        return !run.faults.empty() ||
               std::any_of(run.commands.begin(), run.commands.end(), [](const RecordedCommand& command) {
                   return !std::holds_alternative<RecordedBarrier>(command);
               });
    });
}

bool writesBuffers(const KernelFacts& kernel)
{
    return std::any_of(kernel.bindings.begin(), kernel.bindings.end(),
                       [](const KernelBinding& one) { return one.writes; });
}

}  // namespace

std::string unwrittenFile(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n)
{
    try {
        const bool recorded = recordsWork(recordingOf(gpu, task, shape, n)) ||
                              recordsWork(recordingOf(gpu, task, shape, lengthOfManyTiles(n, shape)));
        for (const std::string& shader : task.shaders)
            if (!writesBuffers(shaderFacts(gpu, shader, shape))) return "shaders/" + shader + ".comp";
        return recorded ? "" : "src/" + task.hostFile;
    } catch (const KernelError&) {
    } catch (const LimitError&) {
    }
    return "";
}

bool findUnwritten(Device& gpu, TaskOutcome& outcome)
{
    // A row may have nothing to do for one tile, so a pass there proves nothing.
    const auto isOneTile = [](const CaseOutcome& one) { return one.n <= one.shape.tile(); };
    const bool mayBeNothing = outcome.status == Status::passed && !outcome.cases.empty() &&
                              std::all_of(outcome.cases.begin(), outcome.cases.end(), isOneTile);
    if ((outcome.status != Status::failed && !mayBeNothing) || gpu.failure()) return false;
    // Nothing leaves no right result of random numbers.
    if (std::any_of(outcome.cases.begin(), outcome.cases.end(), [&](const CaseOutcome& one) {
            return one.status == Status::passed && one.pattern == "random" && !isOneTile(one);
        }))
        return false;
    const CaseOutcome& one = mayBeNothing ? outcome.cases.back() : *outcome.firstFailure();
    outcome.unwritten = unwrittenFile(gpu, outcome.task, one.shape, one.n);
    if (outcome.unwritten.empty()) return false;
    outcome.status = Status::notWritten;
    return true;
}

}  // namespace a2
