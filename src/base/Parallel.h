// Work on long arrays of the host, on all cores: arrays of 2^32 elements take one core half a minute.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <version>

// Defined where the standard library's parallel algorithms run on all cores. MinGW has no TBB; without TBB, those of
// libstdc++ silently run on one core.
#if defined(__cpp_lib_parallel_algorithm) && !defined(__MINGW32__)
#define A2_PARALLEL_ALGORITHMS
#endif

namespace a2 {

// An array that is not initialised. A std::vector zeroes its elements on one core, and the system provides the memory
// during that: this takes longer than computing the elements. (libc++ has make_unique_for_overwrite since 16.)
using HostArray = std::unique_ptr<std::uint32_t[]>;
inline HostArray makeHostArray(std::uint64_t n) { return HostArray(new std::uint32_t[n]); }

// Calls body(first, end) for ranges that are disjoint and together are 0 .. n - 1, in any order and side by side where
// the standard library has parallel algorithms that use them. Up to parallelBlock elements are one range, on this
// thread. The body must not throw.
void inParallel(std::uint64_t n, const std::function<void(std::uint64_t first, std::uint64_t end)>& body);
constexpr std::uint64_t parallelBlock = std::uint64_t{1} << 16;

// Modulo 2^32. `sums` is as long as `values`; its element i becomes the sum of values 0 .. i.
std::uint32_t parallelSum(std::span<const std::uint32_t> values);
void parallelInclusiveScan(std::span<const std::uint32_t> values, std::span<std::uint32_t> sums);

}  // namespace a2
