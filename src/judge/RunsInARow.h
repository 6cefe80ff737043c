// Runs of the same object in a row: the runs after the first must be as right, and made from their own input alone.
#pragma once

#include "judge/DeviceInput.h"
#include "judge/RunLint.h"
#include "judge/StudentSolution.h"
#include "judge/Verdict.h"
#include "judge/WatchedMemory.h"

#include <functional>
#include <optional>

namespace a2 {

class RunsInARow {
public:
    RunsInARow(Device& gpu, const Expectation& expectation, const DeviceInput& input, StudentSolution& solution,
               const RunLint& lint, WatchedMemory& memory, TimedRun& timedRun)
        : gpu_(gpu),
          expectation_(expectation),
          input_(input),
          solution_(solution),
          lint_(lint),
          memory_(memory),
          timedRun_(timedRun)
    {
    }

    // judged: makes and judges the next run. The first verdict that is no pass, or the last. On a CPU device one run,
    // if its runs are alike: races show better in the walk on the host. One that keeps memory from run to run runs on
    // zeros in between, so that a result it has kept shows.
    Verdict judge(const std::function<Verdict()>& judged);
    bool leftZeros() const { return leftZeros_; }  // in the input

private:
    static constexpr unsigned runs = StudentSolution::runsRecorded;
    struct WrongOfZeros {
        std::uint64_t index = 0;
        std::uint32_t expected = 0;
    };

    bool areAlike() const;
    Finding differing(unsigned run) const;
    void checkKeptState(const std::function<Verdict()>& judged, Verdict& verdict);
    std::optional<WrongOfZeros> firstWrongOfZeros();

    Device& gpu_;
    const Expectation& expectation_;
    const DeviceInput& input_;
    StudentSolution& solution_;
    const RunLint& lint_;
    WatchedMemory& memory_;
    TimedRun& timedRun_;
    bool leftZeros_ = false;
};

}  // namespace a2
