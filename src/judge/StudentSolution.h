// A row's solution as the harness uses it: the recording of its code, on the device.
#pragma once

#include "a2/Error.h"
#include "gpu/Replay.h"
#include "judge/Runnable.h"
#include "tasks/Task.h"

#include <memory>
#include <string>

namespace a2 {

// A KernelError about the solution's code, which gave no recording.
struct SolutionError : KernelError {
    SolutionError(const std::string& message, std::string doing) : KernelError(message), phase(std::move(doing)) {}
    std::string phase;  // as in RecordFailure
};
// A file of its host code does not compile or link: length and input do not matter.
struct SolutionBrokenError : SolutionError {
    explicit SolutionBrokenError(const std::string& message) : SolutionError(message, "") {}
};
// Its process ended or timed out: the task is `crashed` or `timeout` with this message.
struct SolutionEndedError : SolutionError {
    SolutionEndedError(const std::string& message, std::string doing, bool timedOut)
        : SolutionError(message, std::move(doing)), timeout(timedOut)
    {
    }
    bool timeout;
};

// Asks for the recording of the row's solution. Throws LimitError for a limit that a2 has computed itself,
// SolutionError for faults of the solution.
Recording recordingOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t count);

class StudentSolution : public Runnable {
public:
    static constexpr unsigned runsRecorded = 3;

    // Checks the row's limits (RowLimits.h), asks for the recording, and makes what it needs on the device.
    // blockOffsets only for TaskClass::offset. Throws LimitError for a limit that a2 has computed itself, KernelError
    // for faults of the solution. Recording takes no memory of the device, so anything that a solution's code throws is
    // its own fault. If the device then refuses memory for its buffers, a2 tries to allocate as much itself, and throws
    // LimitError if it is refused as well.
    StudentSolution(Device& gpu, const Task& task, const KernelShape& shape, const DeviceBuffer& input,
                    const DeviceBuffer* blockOffsets, std::uint64_t count);

    // The recorded runs follow each other in order; after the last comes the first.
    void record(Commands& cb) override;
    void next();  // goes on to the next run without recording it
    void recordCurrent(Commands& cb) const;
    const CommandLog& log() const override { return logs_[current_]; }
    const DeviceBuffer& result() const override;
    Index resultIndex() const override { return run().result; }

    // Nothing of it may run if a call broke a limit.
    bool runnable() const { return log().runnable() >= log().commands().size(); }
    const Replay& replay() const { return *replay_; }
    const RecordedRun& run() const { return recording_->runs[current_]; }
    std::size_t number() const { return current_; }  // of this run
    const Recording& recording() const { return *recording_; }

private:
    std::unique_ptr<Recording> recording_;  // stays at one address when this object is moved
    std::unique_ptr<Replay> replay_;
    std::vector<CommandLog> logs_;  // of each run
    std::size_t current_ = 0;
    bool begun_ = false;
};

}  // namespace a2
