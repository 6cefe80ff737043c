// The local scan: each tile, the elements of one work-group, is scanned separately.

#include "base/Policies.h"
#include "tasks/ClassParts.h"

#include <algorithm>
#include <numeric>

namespace a2 {

constinit const TaskClass TaskClass::localScan = {
    .tag = "[Task2]",
    .hasExclusive = true,
    .ownArray = true,
    .perTile = true,
    .endsAtTiles = true,

    .minimumTraffic = scanTraffic,

    .give = giveInput,
    .result = [](const Expectation& expectation, std::uint64_t index) { return expectation.scannedInTile(index); },
    .matches =
        [](const Expectation& expectation, std::uint64_t first, std::span<const std::uint32_t> got) {
            const std::span<const std::uint32_t> sums = expectation.input().prefixSums();
            const std::uint64_t later = expectation.shape().exclusive ? 1 : 0;  // than inclusive
            return eachTile(first, first + got.size(), expectation.shape().tile(),
                            [&](std::uint64_t tile, std::uint64_t i, std::uint64_t end) {
                                // The first element of an exclusive scan has no sum before it.
                                if (later > 0 && i == 0 && got[i++ - first] != 0) return false;
                                const std::uint32_t before = expectation.givenOffset(tile);
                                std::uint32_t difference = 0;  // no early exit, so that it is vectorised
                                for (; i < end; ++i) difference |= got[i - first] ^ (sums[i - later] - before);
                                return difference == 0;
                            });
        },
    .effects =
        [](const Expectation& expectation, std::span<const Change> changes) {
            const KernelShape& shape = expectation.shape();
            return effectsOfEach(changes, [&](const Change& one) {
                const std::uint64_t endOfTile = (one.index / shape.tile() + 1) * shape.tile();
                return Effect{one.index + (shape.exclusive ? 1 : 0), std::min(expectation.input().size(), endOfTile),
                              one.by};
            });
        },

    // The tiles in parallel, each on one core.
    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::span<const std::uint32_t> in = expectation.input().values();
            const std::uint64_t tile = expectation.shape().tile();
            const std::vector<std::uint64_t> begins = tileBegins(in.size(), tile);
            const auto scanTile = [&](std::uint64_t begin) {
                const auto from = in.subspan(begin, std::min<std::uint64_t>(tile, in.size() - begin));
                const auto to = out.subspan(begin, from.size());
                if (expectation.shape().exclusive)
                    std::exclusive_scan(from.begin(), from.end(), to.begin(), std::uint32_t{0});
                else
                    std::inclusive_scan(from.begin(), from.end(), to.begin());
            };
            withPolicy(allCores, [&](const auto&... policy) {
                std::for_each(policy..., begins.begin(), begins.end(), scanTile);
            });
        },
    .oneCoreMs = oneCoreScanMs,
};

}  // namespace a2
