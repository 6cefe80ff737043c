// One small run, dispatch by dispatch: what each changed, how long it took, and whether it was right.
#pragma once

#include "judge/HostPhases.h"
#include "judge/PrintedRun.h"
#include "judge/StepModel.h"
#include "judge/Trial.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A buffer that a dispatch may write.
struct WrittenBuffer {
    Index buffer = 0;  // of the recording
    std::string name;
    std::uint64_t changed = 0;  // elements
    bool kept = false;          // from run to run, so it also holds data of earlier runs
};

// The contents of a bound buffer before and after a dispatch; empty if it is longer than the limit.
struct BufferValues {
    Index buffer = 0;                                         // of the recording
    std::vector<std::optional<std::uint32_t>> before, after;  // empty: not written yet
};
constexpr std::uint64_t longestTraced = 256;    // elements: accesses of longer runs are not kept one by one
constexpr std::uint64_t mostValuesKept = 4096;  // elements

struct Step {
    const ElementType* element = &ElementType::uint32;  // the type of all its elements
    bool spoilt = false;  // an earlier step has left a value that is no number: this one is not judged
    DispatchCommand dispatch;
    std::vector<std::string> before;         // barriers and transfers between the dispatch before and this one
    std::vector<std::string> barriers;       // stages and accesses
    std::vector<std::string> barriersAbout;  // for each "'sums', bytes 0-15"; empty: all memory
    std::optional<double> ms;                // empty on an emulated device
    Timer timer = Timer::gpu;                // the clock of that time
    std::vector<WrittenBuffer> written;
    StepJudgement judgement;
    std::vector<WrongElement> wrong;       // elements, up to mostValuesKept
    std::optional<DispatchPhases> phases;  // of the work-group that was asked for
    std::optional<DispatchTrace> trace;    // if one was asked for
    std::vector<BufferValues> values;
    std::vector<Finding> findings;
    std::vector<PrintedLine> printed;
};

// What a walk shows of a step while the buffers are still available.
struct StepView {
    const Step& step;
    const Contents& before;
    const Contents& after;
    std::uint32_t poison;  // the word in memory that was never written
};

struct StepsOutcome {
    std::vector<Step> steps;        // without the expected elements
    std::vector<Finding> findings;  // of all steps
    std::string remark;             // on a wrong result that no single dispatch explains
    std::string phase, phaseText;   // of the first wrong dispatch, as in WrongStep
    std::string repeats;            // the same
    PrintedRun printed;             // by all steps together
    const Step* firstWrong() const;
    std::optional<WrongStep> wrongStep() const;  // the same, complete without the other steps
};

struct StepsSettings {
    Timer timer = Timer::gpu;
    bool resultRight = true;                    // of the run as recorded, from Trial::judgedRun
    bool caused = false;                        // a finding already says why the run is wrong
    std::optional<std::uint64_t> watchedGroup;  // the group whose phases are wanted, in each dispatch
    bool traces = false;                        // traces are wanted, too
    PrintSettings print;
};

// Longer runs are not walked dispatch by dispatch, unless the user asks for it.
constexpr std::uint64_t largestWalk = 65537;

// Replays the trial and calls `show` after each dispatch. Needs host memory for every buffer of the solution, twice.
StepsOutcome walkSteps(Device& gpu, Trial& trial, const Task& task, const Expectation& expectation,
                       const StepsSettings& settings, const std::function<void(const StepView&)>& show = {});

// A solution's input, and the block offsets for TaskClass::offset.
struct NamedValues {
    std::string name;                   // of the buffer
    std::vector<std::uint32_t> values;  // numbers
};
std::vector<NamedValues> givenValues(const Expectation& expectation);

// "element 1 of buffer 'input' should be 10, is 4 (3 wrong in all)"
std::string wrongElementText(const WrongElement& wrong, std::uint64_t count, const ElementType& element);
// The same with the dispatch's number and label before it.
std::string wrongText(const WrongStep& step, const ElementType& element);

}  // namespace a2
