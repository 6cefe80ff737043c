// One solution on one input, or several equal ones: runs it on poisoned memory and judges everything it left behind.
#pragma once

#include "judge/DeviceInput.h"
#include "judge/InputChanges.h"
#include "judge/RunLint.h"
#include "judge/RunResults.h"
#include "judge/StudentSolution.h"
#include "judge/Verdict.h"
#include "judge/WatchedMemory.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

class Trial {
public:
    // Has the solution record, and makes what it needs on the device. Throws LimitError for what a2 itself was refused,
    // KernelError for what is wrong with the solution (StudentSolution.h); runs may throw DeviceError.
    // inFlight: so many solutions, each with buffers of its own, take turns in a batch, so that a run need not wait for
    // the one before. Fewer where memory does not hold them; one for a task that writes over its input, which they
    // share.
    Trial(Device& gpu, const Task& task, const Expectation& expectation, const DeviceInput& input,
          unsigned inFlight = 1);
    Trial(const Trial&) = delete;  // its parts know their addresses
    Trial& operator=(const Trial&) = delete;
    unsigned inFlight() const { return static_cast<unsigned>(solutions_.size()); }

    std::uint32_t poison() const { return memory_.poison(); }               // the last run's
    void poisonFrom(const PoisonWords& words) { memory_.words() = words; }  // for tests

    // Restores the input, poisons everything else, runs, and judges the whole result and every guard word.
    // Except where the time is wanted, what is recorded is held against the lint, too, and before a short run its
    // kernels are walked on the host: of what a driver may not survive that walk is all that is judged. Where the time
    // is wanted, `batch` runs are recorded, and the last result of every solution is judged.
    Verdict judgedRun(Timer timer = Timer::gpu, RunTime* runTime = nullptr, unsigned batch = 1);
    RunLint& runLint() { return *lint_; }          // of the solution's runs
    RunResults& runResults() { return results_; }  // of the last judged run, or repetition

    // Runs the next run's commands, one per submit, and calls `look` after each but barriers. Input and poison as in a
    // judged run; the poison is this word. What a driver may not survive is done by the walk on the host.
    struct Step {
        const Command& command;
        RunTime time;
        std::vector<Finding> findings;  // guard words overwritten by this command, validation messages about it
        std::map<Index, std::vector<std::uint32_t>> left;  // all elements of each buffer that this command writes
    };
    void replay(std::uint32_t poisonWord, Timer timer, const std::function<void(const Step&)>& look);
    std::size_t watchedBuffers() const { return memory_.buffers().size(); }  // for tests
    // Whether a buffer of the recording is on the device; all its elements.
    bool holds(Index buffer) const { return solution().replay().usedBuffer(buffer); }
    std::vector<std::uint32_t> contents(Index buffer) const;
    const DeviceBuffer& result() const { return solutions_.front()->result(); }
    const CommandLog& log() const { return solutions_.front()->log(); }  // of the last run
    const StudentSolution& solution() const { return *solutions_.front(); }

    // Several runs of the same object (RunsInARow.h).
    Verdict judgeThreeRuns();

    // Restores the input and runs `batch` times in one command buffer; judges nothing. The times are those of one run.
    // The input is not restored between the runs of a batch: what a solution overwrites is then wrong input for the
    // next one, but as much work.
    RunTime timedRun(Timer timer, unsigned batch = 1);
    // The same, looked at: before it, elements of the input are changed and what runs are to write is poisoned, outside
    // the time; after it, the whole result of every solution is held against what must be there. Not for a batch of a
    // task that writes over its input. judgedRun() goes before the first one.
    struct Repetition {
        RunTime time;                // of one run
        std::optional<RunTime> sum;  // what PartStart::sums took
        Verdict verdict;
    };
    // Of a scan of a part of a longer array: what lies before the part is added to its first element, and the scan goes
    // on from there. So a part is read once to be summed, and read and written once to be scanned.
    struct PartStart {
        bool sums = false;  // whether somebody asks what the part adds up to
        // Called with that sum, or 0, before the scan: what lies before the part. It may throw.
        std::function<std::uint32_t(std::uint32_t sum)> before;
        bool changed = true;   // as other repetitions are
        bool positive = true;  // whether sums of the longer array's reals are rather above 0 (Input::isRatherPositive)
    };
    Repetition repetition(Timer timer, unsigned batch = 1, const PartStart* start = nullptr);
    // The input as it lies there, by the kernel of digests: its sum, and what that took; setup: what goes before.
    std::pair<std::uint32_t, RunTime> sumInput(Timer timer, const Record& setup = {});
    // Of the last judged run or repetition: the sum of the input with its changes.
    std::uint32_t expectedSum() const { return expectation_.input().sum() + changes_.sum(); }
    bool keepsInput() const { return keepsInput_; }  // so that every run of a batch has the same result

    double prepareMs() const { return prepareMs_; }  // making the solution: buffers, descriptor sets, pipelines

private:
    using Prepare = std::function<std::unique_ptr<StudentSolution>()>;
    void prepareFurther(const Prepare& prepare, unsigned inFlight, vk::DeviceSize bytesOfOne);
    Step stepOf(const Command& command) const;
    void replayOnHost(EmulatedLook& onHost, std::uint32_t poisonWord, const std::function<void(const Step&)>& look);
    void checkResultNotKept(Verdict& verdict) const;
    void recordSomePoison(Commands& cb);
    void recordSetup(Commands& cb, bool restores, bool runsBefore, const InputChanges& before);
    void recordFirstResult(Commands& cb);
    void judgeFirstWords(std::span<const std::uint32_t> inputAndResult, Verdict& verdict) const;
    void findUnwritten(Verdict& verdict) const;

    Device& gpu_;
    Task task_;
    const Expectation& expectation_;
    const DeviceInput& input_;
    bool keepsInput_;
    bool inputThere_ = false;  // as the next run needs it: restored, and not written over since
    WatchedMemory memory_;
    TimedRun timedRun_;
    std::vector<std::unique_ptr<StudentSolution>> solutions_;  // at least one
    std::optional<RunLint> lint_;                              // of the first; always there
    RunResults results_;
    InputChanges changes_;  // of the last repetition
    double prepareMs_ = 0;
};

// A trial on an input that nobody else needs. Throws what making an input, and Trial, throws.
struct OwnTrial {
    OwnTrial(Device& gpu, const Task& task, const Pattern& pattern, std::uint64_t n, std::uint64_t seed,
             const KernelShape& shape)
        : input(task.inputOf(pattern, n, seed)),
          expectation(*task.taskClass, input, shape),
          onDevice(gpu, expectation),
          trial(gpu, task, expectation, onDevice)
    {
    }
    OwnTrial(const OwnTrial&) = delete;
    OwnTrial& operator=(const OwnTrial&) = delete;

    const Input input;
    const Expectation expectation;
    const DeviceInput onDevice;
    Trial trial;
};

}  // namespace a2
