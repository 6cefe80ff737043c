// The faults of a solution's runs, whatever their results: what the walk on the host finds, and the lint of what was
// recorded.
#pragma once

#include "judge/EmulatedLook.h"
#include "judge/SeenApart.h"
#include "judge/StudentSolution.h"
#include "judge/Verdict.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// What the walk through some work-groups of a long run has found.
struct SampledWalk {
    Verdict verdict;
    bool endangers = false;  // a driver may not survive it
};

// The cause of a note on what the walk on the host makes of a run.
constexpr const char* walkedOnHost = "walked on the host";

class RunLint {
public:
    // All arguments must outlive this object.
    RunLint(Device& gpu, const Task& task, const Expectation& expectation, const StudentSolution& solution)
        : gpu_(gpu), task_(task), expectation_(expectation), solution_(solution)
    {
    }

    void leaveKernelsAlone() { leftAlone_ = true; }
    void walkLonger() { longestWalked_ = longestWalkedWhole; }  // than largestOnHost
    // told: of what the walk on the host has found wrong, before the device gets the run, which may never end there.
    void onWalk(std::function<void(const Verdict& found)> told) { tellWalk_ = std::move(told); }

    // The look at the current run, if it is short; else null. Its findings hold for all runs like it.
    EmulatedLook* walked();
    // Some work-groups of a long run, before a device runs it; null for a short one. Once, because the runs of one
    // object are much alike.
    const SampledWalk* sampled();
    // Adds the faults of the current run to a verdict that has its result. onHost: walked().
    void lint(const EmulatedLook* onHost, Verdict& verdict);

    // Of the last run that was walked; nothing is found for one that was not walked to its end.
    bool isRight() const;                                                     // in the usual order
    bool passes() const;                                                      // and has no other fault either
    bool talks();                                                             // whether orders may differ
    Verdict onOtherDevices();                                                 // as other devices would run it
    Verdict onOtherSchedules(const std::optional<Schedule>& only);            // work-groups pause at their atomics
    std::uint64_t effort() const { return onHost_ ? onHost_->effort() : 0; }  // EmulatedLook::effort

private:
    void sample(std::uint64_t instructions, const SampleSeen& seen) const;
    void compareWithHost(const EmulatedLook& onHost, Verdict& verdict) const;
    std::vector<Finding> certainHazards();
    bool namesParts() const;
    void lookForApart(std::vector<Finding>& findings);
    bool isFixedGrid(const DispatchCommand& dispatch);
    bool followsShape(const DispatchCommand& dispatch);
    void noteSizes(const Recording& recording);

    Device& gpu_;
    const Task& task_;
    const Expectation& expectation_;
    const StudentSolution& solution_;
    bool leftAlone_ = false;
    std::uint64_t longestWalked_ = largestOnHost;
    std::function<void(const Verdict&)> tellWalk_;
    std::optional<EmulatedLook> onHost_;  // of a run like the current one
    std::optional<SampledWalk> sampled_;  // of the first of a long run
    std::optional<SeenApart> apart_;
    std::optional<SampledWords> sampledWords_;  // as sampled_
    std::optional<std::vector<std::array<std::uint32_t, 3>>>
        longer_;  // work-groups of each dispatch for a longer array
    struct PipelineSize {
        Index place;  // among its recording's pipelines
        std::string shader;
        std::uint64_t invocations;  // of a work-group
    };
    std::optional<std::vector<PipelineSize>> inOtherShape_;  // of the pipelines where other work-groups are asked for
};

}  // namespace a2
