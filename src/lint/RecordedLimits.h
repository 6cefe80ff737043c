// What a recording asks of a device beyond its limits, told from the notes alone: no memory is needed, however long the
// array is.
#pragma once

#include "gpu/Device.h"
#include "lint/Finding.h"
#include "recording/Recording.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// What is wrong with starting so many work-groups, as the end of a sentence about a dispatch; empty: nothing.
std::optional<std::string> groupProblem(const Device& gpu, const std::array<std::uint32_t, 3>& groups);

// group-limit and range-limit of all runs, each thing once. Dispatches whose work-groups lie in a buffer are left out.
std::vector<Finding> beyondLimits(const Device& gpu, const Recording& recording);

}  // namespace a2
