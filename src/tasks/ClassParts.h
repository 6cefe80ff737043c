// What several classes of tasks have in common.
#pragma once

#include "a2/KernelShape.h"
#include "base/Clock.h"
#include "tasks/Expectation.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace a2 {

// Splits first .. end - 1 at the borders of tiles: calls body(tile, first, end) for each part, until it returns false.
// Returns whether it never did.
template <class Body>
bool eachTile(std::uint64_t first, std::uint64_t end, std::uint64_t tile, const Body& body)
{
    while (first < end) {
        const std::uint64_t number = first / tile, stop = std::min(end, (number + 1) * tile);
        if (!body(number, first, stop)) return false;
        first = stop;
    }
    return true;
}

// The index at which each tile of n elements begins.
inline std::vector<std::uint64_t> tileBegins(std::uint64_t n, std::uint64_t tile)
{
    std::vector<std::uint64_t> begins(ceilDiv(n, tile));
    for (std::uint64_t i = 0; i < begins.size(); ++i) begins[i] = i * tile;
    return begins;
}

// For classes that are given the array unchanged (TaskClass::give).
inline void giveInput(const Expectation& expectation, std::uint64_t first, std::span<std::uint32_t> out)
{
    const auto values = expectation.input().values().subspan(first, out.size());
    std::copy(values.begin(), values.end(), out.begin());
}

// For classes whose result is the scan of the whole array (TaskClass::result, matches).
inline std::uint32_t scanResult(const Expectation& expectation, std::uint64_t index)
{
    return expectation.scanned(index);
}
bool matchesScan(const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got);

// For classes with a reference of their own (TaskClass::result, matches).
inline std::uint32_t referenceResult(const Expectation& expectation, std::uint64_t index)
{
    return expectation.reference()[index];
}
inline bool matchesReference(const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got)
{
    const auto expected = expectation.reference().subspan(first, got.size());
    return std::equal(got.begin(), got.end(), expected.begin());
}

// For classes in which each change has one effect, independent of the others (TaskClass::effects): effectOf(change).
template <class EffectOf>
std::vector<Effect> effectsOfEach(std::span<const Change> changes, const EffectOf& effectOf)
{
    std::vector<Effect> effects;
    effects.reserve(changes.size());
    for (const Change& one : changes) effects.push_back(effectOf(one));
    return effects;
}

// Each element is read once, and written once (TaskClass::minimumTraffic).
inline std::uint64_t scanTraffic(std::uint64_t n, const KernelShape&) { return 2 * n * sizeof(std::uint32_t); }

// TaskClass::oneCoreMs for a class with a reference of its own: the time in which one core makes it.
template <class Make>
double msToMake(const Make& make)
{
    const auto start = Clock::now();
    const volatile std::uint32_t kept = make().front();  // so that the compiler does not remove make()
    static_cast<void>(kept);
    return msSince(start);
}
inline double oneCoreScanMs(const Input& input) { return input.cpuScanMs(); }

}  // namespace a2
