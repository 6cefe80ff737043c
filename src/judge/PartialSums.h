// What one step computes from partial sums, in a buffer (a dispatch) or in shared memory (a work-group). All modulo
// 2^32.
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

// Of elements 0, stride, 2 stride, ... below count: the sums of those in [0, next), [next, 2 next), ...
std::vector<std::uint32_t> stridedSums(const std::vector<std::uint32_t>& data, std::uint64_t count,
                                       std::uint64_t stride, std::uint64_t next);
// Of the first `live` elements: sum i is that of i, i + width, i + 2 width, ...
std::vector<std::uint32_t> frontSums(const std::vector<std::uint32_t>& data, std::uint64_t live, std::uint64_t width);
// Of the first `count` elements, moved `shift` places to the right: each added to the one `stride` places to its left.
std::vector<std::uint32_t> windowSums(const std::vector<std::uint32_t>& data, std::uint64_t count, std::uint64_t stride,
                                      std::uint64_t shift);

}  // namespace a2
