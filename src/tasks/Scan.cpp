// The scan: element i of the result is the sum of elements 0 .. i of the array, or 0 .. i - 1 if it is exclusive,
// modulo 2^32.

#include "base/Policies.h"
#include "tasks/ClassParts.h"

#include <algorithm>
#include <numeric>

namespace a2 {

bool matchesScan(const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got)
{
    std::uint64_t expected = first;  // in the inclusive scan; the exclusive one is one element later
    if (expectation.shape().exclusive) {
        if (first == 0 && got.front() != expectation.before()) return false;
        if (first == 0) got = got.subspan(1);
        if (first > 0) --expected;
    }
    const std::span<const std::uint32_t> sums = expectation.input().prefixSums();
    const auto from = sums.begin() + static_cast<std::ptrdiff_t>(expected);
    const std::uint32_t before = expectation.before();
    if (before == 0) return std::equal(got.begin(), got.end(), from);
    std::uint32_t difference = 0;  // no early exit, so that it is vectorised
    for (std::size_t i = 0; i < got.size(); ++i) difference |= got[i] ^ (from[static_cast<std::ptrdiff_t>(i)] + before);
    return difference == 0;
}

constinit const TaskClass TaskClass::scan = {
    .tag = "[Task2]",
    .hasExclusive = true,
    .ownArray = true,

    .minimumTraffic = scanTraffic,

    .give = giveInput,
    .result = scanResult,
    .matches = matchesScan,
    .effects =
        [](const Expectation& expectation, std::span<const Change> changes) {
            const std::uint64_t later = expectation.shape().exclusive ? 1 : 0;
            return effectsOfEach(changes, [&](const Change& one) {
                return Effect{one.index + later, expectation.input().size(), one.by};
            });
        },

    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::span<const std::uint32_t> in = expectation.input().values();
            withPolicy(allCores, [&](const auto&... policy) {
                if (expectation.shape().exclusive)
                    std::exclusive_scan(policy..., in.begin(), in.end(), out.begin(), std::uint32_t{0});
                else
                    std::inclusive_scan(policy..., in.begin(), in.end(), out.begin());
            });
        },
    .oneCoreMs = oneCoreScanMs,
};

}  // namespace a2
