// One small run, dispatch by dispatch: what each changed, how long it took, and whether that was right.
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
    bool kept = false;          // from run to run, so that what is in it is of earlier runs, too
};

// What a bound buffer holds before and after a dispatch; empty where it is longer than is kept.
struct BufferValues {
    Index buffer = 0;                                         // of the recording
    std::vector<std::optional<std::uint32_t>> before, after;  // empty: nobody has written it
};
constexpr std::uint64_t longestTraced = 256;    // elements: of longer runs no accesses are kept one by one
constexpr std::uint64_t mostValuesKept = 4096;  // elements

struct Step {
    const ElementType* element = &ElementType::uint32;  // what all its elements are numbers of
    bool spoilt = false;                                // a step before it has left what is no number: it is not judged
    DispatchCommand dispatch;
    std::vector<std::string> before;         // barriers and transfers between the dispatch before and this one
    std::vector<std::string> barriers;       // stages and accesses
    std::vector<std::string> barriersAbout;  // of each "'sums', bytes 0-15"; empty: all memory
    std::optional<double> ms;                // empty on an emulated device
    Timer timer = Timer::gpu;                // the clock of that time
    std::vector<WrittenBuffer> written;
    StepJudgement judgement;
    std::vector<WrongElement> wrong;       // elements, up to mostValuesKept
    std::optional<DispatchPhases> phases;  // of the work-group that was asked for
    std::optional<DispatchTrace> trace;    // where one was asked for
    std::vector<BufferValues> values;
    std::vector<Finding> findings;
    std::vector<PrintedLine> printed;
};

// What a walk shows of a step while the buffers are at hand.
struct StepView {
    const Step& step;
    const Contents& before;
    const Contents& after;
    std::uint32_t poison;  // where nobody has written yet
};

struct StepsOutcome {
    std::vector<Step> steps;        // without the expected elements
    std::vector<Finding> findings;  // of all steps
    std::string remark;             // on a wrong result that no single dispatch explains; empty otherwise
    std::string phase, phaseText;   // of the first wrong dispatch, as in WrongStep
    PrintedRun printed;             // by all steps together
    const Step* firstWrong() const;
    std::optional<WrongStep> wrongStep() const;  // the same for those who have not seen the others
};

struct StepsSettings {
    Timer timer = Timer::gpu;
    bool resultRight = true;                    // of the run as recorded, from Trial::judgedRun
    bool caused = false;                        // a finding says already why the run is wrong
    std::optional<std::uint64_t> watchedGroup;  // whose phases are wanted, in each dispatch
    bool traces = false;                        // are wanted, too
    PrintSettings print;
};

// Replays the trial and calls `show` after each dispatch. Host memory: every buffer of the solution, twice.
StepsOutcome walkSteps(Device& gpu, Trial& trial, const Task& task, const Expectation& expectation,
                       const StepsSettings& settings, const std::function<void(const StepView&)>& show = {});

// What a solution is given: the input, and for TaskClass::offset the block offsets.
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
