// Judges one dispatch at a time: computes what each step of a task class must leave, given what it found.
#pragma once

#include "lint/CommandLog.h"
#include "tasks/Task.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Elements of every buffer at one moment.
using Contents = std::map<Index, std::vector<std::uint32_t>>;  // by the recording's buffer

enum class StepVerdict { ok, wrong, unchecked };
const char* verdictText(StepVerdict verdict);
std::string plural(std::uint64_t count, const char* thing);  // "1 tile", "2 tiles"

// Elements first, first + stride, ... of a buffer, and their expected values.
struct ExpectedElements {
    Index buffer = 0;
    std::uint64_t first = 0, stride = 1;
    std::vector<std::uint32_t> values;
};

struct WrongElement {
    std::string buffer;
    std::uint64_t index = 0;
    std::uint32_t expected = 0, got = 0;
    bool neverWritten = false;  // it still holds the poison from before the run
};

// A dispatch that left wrong elements.
struct WrongStep {
    std::uint64_t dispatch = 0;  // its number, from 0
    std::string label;
    WrongElement first;       // of its wrong elements
    std::uint64_t count = 0;  // of all of them
    // The first wrong phase in it: "phase 3 of work-group 0", and what it left wrong. Empty if none is known.
    std::string phase = {}, phaseText = {};
    std::string repeats = {};  // what it has in common with the dispatch before it; empty: nothing that matters
};

struct StepJudgement {
    StepVerdict verdict = StepVerdict::unchecked;
    std::string what;                        // what the step leaves: "4 partial sums at the front"
    std::vector<ExpectedElements> expected;  // empty if nothing is known
    std::optional<WrongElement> firstWrong;
    std::uint64_t wrongCount = 0;
    unsigned figure = 0;  // of the assignment, showing such a step; 0: none
};

// Follows the dispatches of one run, in order. Each is judged by the contents of the buffers before it, so that after a
// wrong step the next ones are judged by their own work. An order of work other than the task class's is no fault: if
// the whole run's result is right, a step that fits no known pattern is `unchecked`.
class StepJudge {
public:
    // Finds the run's inputs by the role of the recording's buffers.
    StepJudge(const Task& task, const Recording& recording, bool resultRight);

    StepJudgement judge(const DispatchCommand& dispatch, const Contents& before, const Contents& after);

    // After the last dispatch: what still has to be done; empty if nothing, or if the method is not known.
    std::string unfinished() const;
    // The buffer that holds the result by now; empty if it is not known.
    std::optional<Index> resultBuffer() const;

private:
    // One way to do the step; `accept` moves on to the state after it.
    struct Candidate {
        std::string what;
        std::vector<ExpectedElements> expected;
        std::function<void()> accept;
    };
    struct Level {
        std::optional<Index> scanned, sums;
        std::uint64_t count = 0;
        bool exclusive = false;
    };
    using Values = std::vector<std::uint32_t>;

    std::vector<Candidate> candidates(const DispatchCommand& dispatch, const Contents& before, const Contents& after);
    void strided(const Values& data, std::vector<Candidate>& all);
    void front(const Values& data, std::vector<Candidate>& all);
    void groupSums(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void wholeSum(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void wholeResult(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void nearestSteps(const Values& data, const Contents& after, const std::vector<Index>& targets,
                      std::vector<Candidate>& all);
    void wholeScan(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void windows(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void scanTiles(const Values& data, const std::vector<Index>& targets, std::vector<Candidate>& all);
    void addOffsets(const Contents& before, std::vector<Candidate>& all);
    bool isOnItsWayDown(const DispatchCommand& dispatch) const;
    std::vector<std::uint32_t> factors() const;

    StepModel model_;
    const TaskClass& taskClass_;
    unsigned figure_;
    KernelShape shape_;
    std::uint64_t count_;
    bool scansOnce_;  // scan/local stops after the first level
    std::optional<Index> blockOffsets_;
    bool resultRight_;

    // The state of the run.
    bool lost_ = false;           // it took a way that is not known
    std::optional<Index> where_;  // the buffer with the live partial results
    std::uint64_t live_;          // how many there are
    bool shifted_ = false;        // windows: an exclusive scan's array has moved one place to the right
    std::uint64_t stride_ = 1;    // strided, windows: the distance between them
    std::vector<Level> levels_;
    std::size_t offsetsDone_ = 0;
};

}  // namespace a2
