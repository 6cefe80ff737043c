#include "judge/StudentSolution.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/NotFollowed.h"
#include "judge/RowLimits.h"

#include <fmt/format.h>

#include <utility>

namespace a2 {

namespace {

std::string textOf(const RecordFailure& failure, std::uint64_t count)
{
    if (failure.phase.empty()) return failure.what;
    return fmt::format("{}, n = {}: {}{}", failure.phase, count, failure.what,
                       failure.call.empty() ? "" : "; the last Vulkan call was " + failure.call);
}

// Kernels that were not written for other element types read the words of reals as whole numbers.
void checkElements(const Device& gpu, const ElementType& element, const Recording& recording)
{
    for (const RecordedPipeline& one : recording.pipelines) {
        if (!one.shader.empty() && gpu.kernelSources.saysElement(one.shader)) continue;
        throw LimitError(fmt::format(
            "--type {}: {} is written for uint: let it include include/A2Element.h, and say Element for the type of "
            "elements and of their sums",
            element.name, one.shader.empty() ? "a kernel of the solution's own" : "shaders/" + one.shader + ".comp"));
    }
}

}  // namespace

Recording recordingOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t count)
{
    checkRow(gpu, task, shape, count);
    const InPhase recording(gpu, "recording");
    const auto& recordBy = task.record ? task.record : gpu.record;
    if (!recordBy) throw Error(ExitStatus::internal, "the solutions cannot be recorded");
    RecordRequest request = recordRequest(task, shape, count);
    request.runs = StudentSolution::runsRecorded;
    request.device = gpu.facts();
    request.alone = gpu.recordsAlone;
    RecordAnswer answer = recordBy(request);
    if (const auto* failure = std::get_if<RecordFailure>(&answer)) {
        const bool timeout = failure->kind == RecordFailure::Kind::timeout;
        const std::string text = textOf(*failure, count);
        if (timeout || failure->kind == RecordFailure::Kind::ended)
            throw SolutionEndedError(text, failure->phase, timeout);
        if (failure->kind == RecordFailure::Kind::broken) throw SolutionBrokenError(text);
        throw SolutionError(text, failure->phase);
    }
    Recording recorded = std::get<Recording>(std::move(answer));
    if (task.element->isReal) checkElements(gpu, *task.element, recorded);
    return recorded;
}

StudentSolution::StudentSolution(Device& gpu, const Task& task, const KernelShape& shape, const DeviceBuffer& input,
                                 const DeviceBuffer* blockOffsets, std::uint64_t count)
    : recording_(std::make_unique<Recording>(recordingOf(gpu, task, shape, count)))
{
    std::string refused;
    gpu.enter("preparing buffers");
    try {
        replay_ = std::make_unique<Replay>(gpu, *recording_, input, blockOffsets);
    } catch (const NotFollowedError&) {  // the emulated device's limit, no fault of the solution
        throw;
    } catch (const LimitError& error) {
        refused = error.what();
    } catch (const vk::OutOfDeviceMemoryError& error) {
        refused = error.what();
    } catch (const vk::OutOfHostMemoryError& error) {
        refused = error.what();
    }
    if (!replay_) {
        tryMemory(gpu, task, shape, count);
        throw KernelError(
            fmt::format("preparing, n = {}: the solution asked for more than there is: {}", count, refused));
    }
    const FactsOfPipelines facts = replay_->facts();
    for (const RecordedRun& run : recording_->runs) logs_.emplace_back(*recording_, run, facts, gpu.limits());
}

void StudentSolution::next()
{
    if (std::exchange(begun_, true)) current_ = (current_ + 1) % recording_->runs.size();
}

void StudentSolution::record(Commands& cb)
{
    next();
    recordCurrent(cb);
}

void StudentSolution::recordCurrent(Commands& cb) const { replay_->record(cb, run(), log().runnable()); }

const DeviceBuffer& StudentSolution::result() const { return replay_->buffer(run().result); }

}  // namespace a2
