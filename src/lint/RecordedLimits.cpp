#include "lint/RecordedLimits.h"

#include "recording/Bindings.h"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <string>
#include <variant>

namespace a2 {

std::vector<Finding> beyondLimits(const vk::PhysicalDeviceLimits& limits, const Recording& recording)
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
            if (const auto problem = one->indirect ? std::nullopt : groupProblem(limits, one->groups))
                add("group-limit", fmt::format("dispatch {} '{}' {}", number, one->label, *problem), number);
            for (const RecordedDispatch::Set& bound : one->sets) {
                const RecordedSet& set = recording.sets[bound.set];
                for (const RecordedSet::Range& range : set.ranges)
                    if (const auto* slot = bindingOf(recording.setLayouts[set.layout], range.binding))
                        if (const auto problem = bindingProblem(limits, recording.buffers[range.buffer], range.binding,
                                                                slot->type, range.offset, range.bytes))
                            add("range-limit", *problem, {});
            }
            ++number;
        }
    }
    return findings;
}

}  // namespace a2
