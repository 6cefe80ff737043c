// Whether dispatches of a long run that need a barrier by what is bound to them use different words: as far as shorter
// runs, and some of the long run's work-groups, show it.
#pragma once

#include "gpu/Device.h"
#include "judge/LowerLimits.h"
#include "lint/EmulatedSample.h"
#include "lint/Finding.h"
#include "lint/Hazards.h"
#include "tasks/Task.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

// What runs of at most longestApart elements show, in the task's shape, and in the smallest ones where that one has no
// such two dispatches.
class SeenApart {
public:
    // seed: of the random input, which kernels cannot know.
    SeenApart(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed,
              bool keepsInput);

    // hazard: a finding of hazards(), for all that is bound.
    bool isApart(const Finding& hazard);

private:
    struct Shorter {
        KernelShape shape;
        std::uint64_t n = 0;
        std::optional<LowerLimits> limits = {};
    };
    void look(const Shorter& run);
    bool isKnown(const std::string& cause) const { return apart_.count(cause) + together_.count(cause) > 0; }

    Device& gpu_;
    const Task& task_;
    std::uint64_t seed_;
    bool keepsInput_;
    std::vector<Shorter> further_;            // not looked at yet, the last one first
    std::set<std::string> apart_, together_;  // causes (Finding)
};

// Words that walkSample() has seen dispatches use: of a long run only a few, but those are certain.
class SampledWords {
public:
    void add(const EmulatedStep& step, Index buffer, const EmulatedUse& use);
    // The hazards of a run in these words; none in others.
    std::vector<Finding> hazardsOf(const std::vector<Command>& commands) const;

private:
    WordsOfDispatches words_;
    std::uint64_t bytes_ = 0;
};

}  // namespace a2
