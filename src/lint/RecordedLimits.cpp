#include "lint/RecordedLimits.h"

#include "gpu/Replay.h"

#include <fmt/format.h>

#include <set>
#include <variant>

namespace a2 {

std::optional<std::string> groupProblem(const Device& gpu, const std::array<std::uint32_t, 3>& groups)
{
    const auto& most = gpu.limits().maxComputeWorkGroupCount;
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (groups[axis] > most[axis])
            return fmt::format(
                "starts {} work-groups along {}, more than this device's maxComputeWorkGroupCount of {}: fold them "
                "over x and y with Gpu::foldGroups",
                groups[axis], "xyz"[axis], most[axis]);
    return {};
}

std::vector<Finding> beyondLimits(const Device& gpu, const Recording& recording)
{
    std::vector<Finding> findings;
    std::set<std::string> said;
    const auto add = [&](const char* rule, const std::string& text, std::optional<std::uint64_t> dispatch) {
        if (said.insert(text).second) findings.push_back({rule, text, dispatch});
    };
    for (const RecordedRun& run : recording.runs) {
        std::uint64_t number = 0;
        for (const RecordedCommand& command : run.commands) {
            const auto* one = std::get_if<RecordedDispatch>(&command);
            if (!one) continue;
            if (const auto problem = one->indirect ? std::nullopt : groupProblem(gpu, one->groups))
                add("group-limit", fmt::format("dispatch {} '{}' {}", number, one->label, *problem), number);
            for (const RecordedDispatch::Set& bound : one->sets) {
                const RecordedSet& set = recording.sets[bound.set];
                for (const RecordedSet::Range& range : set.ranges)
                    if (const auto* slot = bindingOf(recording.setLayouts[set.layout], range.binding))
                        if (const auto problem = bindingProblem(gpu, recording.buffers[range.buffer], range.binding,
                                                                slot->type, range.offset, range.bytes))
                            add("range-limit", *problem, {});
            }
            ++number;
        }
    }
    return findings;
}

}  // namespace a2
