// The prescan on one thread of the host: the lab's gold code, and the copy that it is compared with.
#pragma once

#include "annexes/prescan/Prescan.h"

namespace a2 {

// Each element is the one before plus an element of the input, one after the other; floats are added as floats.
// `scanned` is as long as `input`.
void hostPrescan(const PrescanSettings& settings, std::span<const std::uint32_t> input,
                 std::span<std::uint32_t> scanned);

// The same bytes read and written with no addition, on one thread: the host's memory limit.
void hostCopy(std::span<const std::uint32_t> from, std::span<std::uint32_t> to);

// Additions that hostPrescan executes.
constexpr std::uint64_t hostAdditions(std::uint64_t n) { return n > 0 ? n - 1 : 0; }

}  // namespace a2
