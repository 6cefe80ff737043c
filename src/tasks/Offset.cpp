// The offset: makes the scan of the whole array, in place, from the local scans of all tiles and the sums before each
// tile.

#include "base/Policies.h"
#include "tasks/ClassParts.h"

#include <algorithm>

namespace a2 {

constinit const TaskClass TaskClass::offset = {
    .tag = "[Task2]",
    .hasExclusive = true,
    .perTile = true,
    .givenBlockOffsets = true,

    // Each element is read once and written once; the first tile is already complete.
    .minimumTraffic =
        [](std::uint64_t n, const KernelShape& shape) {
            return 2 * sizeof(std::uint32_t) * (n - std::min<std::uint64_t>(n, shape.tile()));
        },

    .give =
        [](const Expectation& expectation, std::uint64_t first, std::span<std::uint32_t> out) {
            eachTile(first, first + out.size(), expectation.shape().tile(),
                     [&](std::uint64_t tile, std::uint64_t i, std::uint64_t end) {
                         const std::uint32_t before = expectation.givenOffset(tile);
                         for (; i < end; ++i) out[i - first] = expectation.scanned(i) - before;
                         return true;
                     });
        },
    .result = scanResult,
    .matches = matchesScan,
    // The input consists of sums already.
    .effects =
        [](const Expectation&, std::span<const Change> changes) {
            return effectsOfEach(changes, [](const Change& one) { return Effect{one.index, one.index + 1, one.by}; });
        },

    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::uint64_t tile = expectation.shape().tile();
            const std::vector<std::uint64_t> begins = tileBegins(out.size(), tile);
            const auto addOffset = [&](std::uint64_t begin) {
                const std::uint32_t before = expectation.givenOffset(begin / tile);
                const auto elements = out.subspan(begin, std::min<std::uint64_t>(tile, out.size() - begin));
                std::for_each(elements.begin(), elements.end(), [before](std::uint32_t& one) { one += before; });
            };
            withPolicy(allCores, [&](const auto&... policy) {
                std::for_each(policy..., begins.begin(), begins.end(), addOffset);
            });
        },
    .oneCoreMs = oneCoreScanMs,
};

}  // namespace a2
