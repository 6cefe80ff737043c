#include "recorder/Recorder.h"

#include "a2/Error.h"
#include "recorder/EntryPoints.h"
#include "recording/RecordingCheck.h"
#include "recording/RecordingFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <vector>

namespace a2 {

namespace {

// Makes one line of any text.
std::string oneLine(std::string text)
{
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
    return text;
}

// For the exception that is being handled.
RecordFailure failureOf()
{
    using Kind = RecordFailure::Kind;
    const auto failure = [](Kind kind, const std::string& what) { return RecordFailure{kind, {}, oneLine(what), {}}; };
    try {
        throw;
    } catch (const KernelError& error) {
        return failure(Kind::threw, error.what());
    } catch (const LimitError& error) {
        return failure(Kind::memory,
                       fmt::format("the solution asked for more than there is (LimitError): {}", error.what()));
    } catch (const vk::OutOfDeviceMemoryError& error) {
        return failure(Kind::memory,
                       fmt::format("the solution asked for more device memory than there is ({})", error.what()));
    } catch (const vk::OutOfHostMemoryError& error) {
        return failure(Kind::memory,
                       fmt::format("the solution asked for more host memory than there is ({})", error.what()));
    } catch (const std::bad_alloc& error) {
        return failure(Kind::memory,
                       fmt::format("the solution asked for more main memory than there is ({})", error.what()));
    } catch (const std::exception& error) {
        return failure(Kind::threw, fmt::format("the solution threw an exception: {}", error.what()));
    } catch (...) {
        return failure(Kind::threw, "the solution threw something that is no std::exception");
    }
}

// For a recording that no reader would accept: a call was given what cannot be. The call that noted it is the reason.
std::optional<RecordFailure> whatCannotBe(const Recording& recording)
{
    try {
        checkRecording(recording);
        return {};
    } catch (const RecordingError& error) {
        RecordFailure failure{RecordFailure::Kind::threw, {}, error.what(), {}};
        std::vector<RecordedFault> faults = recording.faults;
        for (const RecordedRun& run : recording.runs) faults.insert(faults.end(), run.faults.begin(), run.faults.end());
        if (!faults.empty()) failure.what = faults.front().message;
        return failure;
    }
}

// A solution, and the buffers that it gets, which outlive it.
class Solving {
public:
    Solving(const RecordRequest& request, const RecordingLimits& limits) : recorder(request, limits), gpu_(recorder) {}

    void prepare(const RecordRequest& request, const MakeSolution& make)
    {
        const bool offset = request.offsetCount > 0;
        input_.emplace(gpu_, "input", request.count);
        given(*input_, RecordedBuffer::Role::input);
        if (offset) {
            blockOffsets_.emplace(gpu_, "block offsets", request.offsetCount);
            given(*blockOffsets_, RecordedBuffer::Role::blockOffsets);
        }
        solution_ =
            make({gpu_, request.shape, request.shaders, *input_, request.count, offset ? &*blockOffsets_ : nullptr});
        if (!solution_) throw KernelError(fmt::format("{} made no solution", request.factory));
        recorder.recording.faults = recorder.takeFaults();
        recorder.endIfTooMuch();
    }
    void record()
    {
        const vk::CommandBuffer commands = recorder.beginRun();
        solution_->record(commands);
        recorder.endRun();
        recorder.endIfTooMuch();
    }
    void askForResult()
    {
        const VkBuffer result = solution_->result().handle();
        const BufferObject* found = recorder.buffers.find(numberOf(result));
        if (!found || found->destroyed) throw KernelError("result() returned a Buffer that does not exist any more");
        recorder.recording.runs.back().result = found->index;
        recorder.recording.runs.back().faults = recorder.takeFaults();
    }

    // Destroys the solution while the recording still exists: calls in its destructor may need it.
    void end() { solution_.reset(); }

    Recorder recorder;

private:
    void given(const Buffer& buffer, RecordedBuffer::Role role)
    {
        const Handle handle = numberOf(static_cast<VkBuffer>(buffer.handle()));
        recorder.recording.buffers[recorder.buffers.find(handle)->index].role = role;
    }

    NotingVulkan vulkan_;
    Gpu gpu_;
    std::optional<Buffer> input_, blockOffsets_;
    std::unique_ptr<Solution> solution_;
};

}  // namespace

RecordAnswer recordSolution(const RecordRequest& request, const MakeSolution& make,
                            const std::function<void(const std::string& phase)>& entered, const RecordingLimits& limits)
{
    Solving solving(request, limits);
    std::string phase;
    const auto enter = [&](const std::string& next) {
        phase = next;
        lastCall = "";
        if (entered) entered(phase);
    };
    std::optional<RecordFailure> failure;
    try {
        enter("preparing");
        solving.prepare(request, make);
        for (std::uint32_t run = 1; run <= request.runs; ++run) {
            enter(fmt::format("recording run {}", run));
            solving.record();
            enter("asked for the result");
            solving.askForResult();
        }
        enter("destroying the solution");
        solving.end();
    } catch (...) {
        failure = failureOf();
    }
    if (solving.recorder.tooMuch())  // this may be why it threw
        failure = RecordFailure{RecordFailure::Kind::tooMuch,
                                {},
                                fmt::format("the solution recorded more than a recording may hold ({} commands, {} "
                                            "objects, {} MiB)",
                                            limits.commands, limits.objects, limits.bytes >> 20),
                                {}};
    if (!failure) {
        failure = whatCannotBe(solving.recorder.recording);
        if (!failure) return std::move(solving.recorder.recording);
        failure->phase = "recording";
        return *failure;
    }
    // A refused call may be why it threw.
    const auto faults = solving.recorder.takeFaults();
    if (failure->kind == RecordFailure::Kind::threw && !faults.empty())
        failure->what += fmt::format(" (before that: {})", faults.back().message);
    failure->phase = phase;
    failure->call = lastVulkanCall();
    return *failure;
}

}  // namespace a2
