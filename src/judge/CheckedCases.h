// Cases that the device runs and that are judged: one of them, and those in which a task is checked besides the ones
// that were asked for.
#pragma once

#include "judge/HostWalks.h"
#include "judge/Orders.h"
#include "judge/PartCases.h"

#include <map>
#include <optional>
#include <string>

namespace a2 {

class CheckedCases {
public:
    CheckedCases(Cases& cases, Orders& orders, HostWalks& walks, PartCases& parts)
        : cases_(cases), orders_(orders), walks_(walks), parts_(parts)
    {
    }

    // shared: the last case's input, and then this one's.
    CaseOutcome check(const Task& task, const Pattern& pattern, std::uint64_t n, const KernelShape& shape,
                      KeptInput& shared, const std::optional<LowerLimits>& limit);
    // Adds the short lengths that are tried before the one that was asked for, until one does not pass. If n = 0 was
    // asked for, which starts no kernel, only the short lengths can test the task.
    void checkQuickSizes(TaskOutcome& outcome, KernelShape shape);
    // Short runs in other shapes than the task's own, for faults that only a device's buffers show; n up to `longest`.
    void checkSmallShapes(TaskOutcome& outcome, std::uint64_t longest);
    std::vector<WalkedRun> smallShapes(const Task& task, std::uint64_t longest) const;
    // For a row that has passed so far, whose work-groups communicate or whose invocations wait for others; n up to
    // `longest`.
    void checkSchedules(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    // For a task whose elements name places: many equal ones, since a count that is too narrow shows in no short array;
    // n up to `longest`.
    void checkEqualElements(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    // Its length; 0: there is none.
    std::uint64_t lengthOfEqualElements(const Task& task, std::uint64_t longest) const;
    // Runs on reals, for tasks of float32 that were right on whole numbers.
    void checkReals(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest);
    std::vector<WalkedRun> runsOfReals(const Task& task, const KernelShape& own, std::uint64_t longest) const;

private:
    std::optional<CaseOutcome> failingRandom(const Task& task, const CaseOutcome& failure);
    void lookForRule(const Task& task, CaseOutcome& outcome);

    Cases& cases_;
    Device& gpu_ = cases_.gpu;
    const EvaluationSettings& settings_ = cases_.settings;
    Orders& orders_;
    HostWalks& walks_;
    PartCases& parts_;
    std::map<std::string, std::uint64_t> effort_;  // of each task's walks so far
};

}  // namespace a2
