// Walks on the host and recordings, in addition to the runs on the device; the first that fails is added to the cases.
#pragma once

#include "judge/Cases.h"
#include "judge/WalkedRuns.h"

namespace a2 {

class HostWalks {
public:
    explicit HostWalks(Cases& cases) : cases_(cases) {}

    // longest: the length that was asked for. all: exclusive scans, too.
    void walkShapes(TaskOutcome& outcome, std::uint64_t longest, bool all);
    // Other patterns in small tiles (runsOfPatterns), once for each task.
    void walkPatterns(TaskOutcome& outcome, std::uint64_t longest);
    // Longer arrays, which are recorded but not run. demanded: exceeding a limit fails; otherwise it is a note, and one
    // run shows whether folded dispatches are right.
    void lookAtLongArrays(TaskOutcome& outcome, std::uint64_t longest, bool demanded);
    // The runs of both, in their order; each list with the limits of those that have none of their own.
    using UseRuns = std::function<void(const std::vector<WalkedRun>&, const std::optional<LowerLimits>&)>;
    void eachRun(const Task& task, std::uint64_t longest, bool all, const UseRuns& use) const;
    // One run, walked. complete: every kernel was followed to its end.
    CaseOutcome walkCaseOnHost(const Task& task, const WalkedRun& run, bool& complete);

private:
    std::vector<WalkedRun> patternsInTiles(const Task& task, std::uint64_t longest) const;
    std::vector<WalkedRun> furtherShapes(const Task& task, std::uint64_t longest, bool all) const;
    std::vector<WalkedRun> courseWalks(const Task& task, std::uint64_t longest) const;
    // In the shape that is timed: other inputs in a few tiles, and one run of many tiles; each is walked.
    std::vector<WalkedRun> moreInOwnShape(const Task& task, std::uint64_t longest) const;
    std::vector<WalkedRun> longArrays(const Task& task, const KernelShape& own, std::uint64_t longest) const;

    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    std::set<std::string> withPatterns_;  // tasks for which walkPatterns() has been called
};

}  // namespace a2
