// The histogram: how many elements fall into each of HISTOGRAM_BINS bins. Its class, and its rows.

#include "A2Histogram.h"
#include "base/Parallel.h"
#include "tasks/ClassParts.h"
#include "tasks/Task.h"

#include <array>
#include <atomic>
#include <vector>

namespace a2 {

namespace {

using Bins = std::vector<std::uint32_t>;  // HISTOGRAM_BINS of them

Bins countedIn(std::span<const std::uint32_t> elements)
{
    Bins bins(HISTOGRAM_BINS);
    for (const std::uint32_t element : elements) ++bins[element % HISTOGRAM_BINS];
    return bins;
}

Bins countedOnAllCores(std::span<const std::uint32_t> elements)
{
    std::array<std::atomic<std::uint32_t>, HISTOGRAM_BINS> all{};
    inParallel(elements.size(), [&](std::uint64_t first, std::uint64_t end) {
        const Bins part = countedIn(elements.subspan(first, end - first));
        for (std::size_t bin = 0; bin < all.size(); ++bin) all[bin] += part[bin];
    });
    return {all.begin(), all.end()};
}

constinit const TaskClass histogram = {
    .tag = "[Lab]",
    .fixedResults = HISTOGRAM_BINS,
    .resultName = "bin",
    .valuesArePlaces = true,
    .addsUp = false,
    .ownArray = true,

    // Each element is read once, each bin written once.
    .minimumTraffic = [](std::uint64_t n, const KernelShape&) { return (n + HISTOGRAM_BINS) * sizeof(std::uint32_t); },

    .give = giveInput,
    .result = referenceResult,
    .matches = matchesReference,
    // One bin has one element less, and another one more; they may be the same.
    .effects =
        [](const Expectation&, std::span<const Change> changes) {
            std::vector<Effect> made;
            for (const Change& one : changes) {
                const std::uint64_t from = one.given % HISTOGRAM_BINS, to = (one.given + one.by) % HISTOGRAM_BINS;
                made.push_back({from, from + 1, UINT32_MAX});
                made.push_back({to, to + 1, 1});
            }
            return made;
        },
    .reference = countedOnAllCores,

    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::span<const std::uint32_t> elements = expectation.input().values();
            const Bins bins = allCores ? countedOnAllCores(elements) : countedIn(elements);
            std::copy(bins.begin(), bins.end(), out.begin());
        },
    .oneCoreMs = [](const Input& input) { return msToMake([&] { return countedIn(input.values()); }); },
};

// With large tiles, fewer work-groups add their bins to the result's; a short array in large tiles keeps few cores
// busy.
Task row(const char* id, const char* label, const char* shader)
{
    return {.id = id,
            .label = label,
            .taskClass = &histogram,
            .shaders = {shader},
            .hostFile = "courses/histogram/Histogram.cpp",
            .factory = "Histogram",
            .shape = {1024, 64},
            .scheme = {.steps = StepModel::result},
            .keepsInput = true,
            .byDefault = false,
            .lab = true,
            .shortShapes = {{1 << 18, {512, 8}}, {1 << 20, {1024, 16}}, {1 << 22, {1024, 32}}},
            .sharedWords = HISTOGRAM_BINS * HISTOGRAM_COPIES};
}

}  // namespace

std::vector<Task> histogramRows()
{
    return {row("histogram/global", "Histogram Global", "A2HistogramGlobal"),
            row("histogram/shared", "Histogram Shared", "A2HistogramShared"),
            row("histogram/replicas", "Histogram Replicas", "A2HistogramReplicas")};
}

}  // namespace a2
