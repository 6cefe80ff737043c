// The work-groups of an indirect dispatch, if they are known before it runs.
#pragma once

#include "recording/Recording.h"
#include "spirv/KernelFacts.h"

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

namespace a2 {

using FactsOfPipelines = std::vector<const KernelFacts*>;  // of a recording's pipelines, by their indices

// For the run's command at this place, an indirect dispatch: the three words that the buffer holds when the dispatch
// reads them. Empty if one of them comes from a kernel or from the solution's input, or was never written.
std::optional<std::array<std::uint32_t, 3>> indirectGroups(const Recording& recording, const FactsOfPipelines& facts,
                                                           const RecordedRun& run, std::size_t command);

}  // namespace a2
