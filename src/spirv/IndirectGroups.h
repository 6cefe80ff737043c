// The work-groups of an indirect dispatch, as far as they are known before it runs.
#pragma once

#include "recording/Recording.h"
#include "spirv/KernelFacts.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace a2 {

using FactsOfPipelines = std::vector<const KernelFacts*>;  // of a recording's, by their place in it

// Of the run's command at this place, an indirect dispatch: the three words that the buffer holds when it comes to it.
// Empty where one of them is from a kernel, from what the solution was given, or from nobody.
std::optional<std::array<std::uint32_t, 3>> indirectGroups(const Recording& recording, const FactsOfPipelines& facts,
                                                           const RecordedRun& run, std::size_t command);

}  // namespace a2
