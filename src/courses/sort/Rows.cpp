// The sort: the array's elements, as numbers from 0 to 2^32 - 1, from the smallest to the largest. Its class, and its
// rows.

#include "A2Sort.h"
#include "base/Policies.h"
#include "tasks/ClassParts.h"
#include "tasks/Task.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

namespace {

using Keys = std::vector<std::uint32_t>;

void sortOn(std::span<std::uint32_t> keys, bool allCores)
{
    withPolicy(allCores, [&](const auto&... policy) { std::sort(policy..., keys.begin(), keys.end()); });
}

Keys sorted(std::span<const std::uint32_t> elements, bool allCores)
{
    Keys keys(elements.begin(), elements.end());
    sortOn(keys, allCores);
    return keys;
}

// A key that is removed or inserted before element `at` of the sorted array.
struct Edit {
    std::uint64_t at = 0;
    std::uint32_t key = 0;
    bool takesOut = false;
};

std::vector<Edit> editsOf(const Expectation& expectation, std::span<const Change> changes)
{
    Keys out, in;
    for (const Change& one : changes) {
        out.push_back(one.given);
        in.push_back(one.given + one.by);
    }
    std::sort(out.begin(), out.end());
    std::sort(in.begin(), in.end());
    const std::span<const std::uint32_t> reference = expectation.reference();
    const auto firstNotBefore = [&](std::uint32_t key) {
        return static_cast<std::uint64_t>(std::lower_bound(reference.begin(), reference.end(), key) -
                                          reference.begin());
    };
    std::vector<Edit> edits;
    for (const std::uint32_t key : in) edits.push_back({firstNotBefore(key), key, false});
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto same = std::lower_bound(out.begin(), out.end(), out[i]) - out.begin();
        edits.push_back({firstNotBefore(out[i]) + i - static_cast<std::uint64_t>(same), out[i], true});
    }
    std::stable_sort(edits.begin(), edits.end(), [](const Edit& one, const Edit& other) { return one.at < other.at; });
    return edits;
}

// Between two edits the result is the sorted array, shifted forward or back by some elements.
std::vector<Effect> effectsOf(const Expectation& expectation, std::span<const Change> changes)
{
    std::vector<Effect> effects;
    std::uint64_t from = 0, to = 0;  // in the sorted array, and in the result
    const auto keepUpTo = [&](std::uint64_t end) {
        if (from < end && from != to)
            effects.push_back(
                {to, to + end - from, 0, static_cast<std::int64_t>(from) - static_cast<std::int64_t>(to)});
        to += end - from;
        from = end;
    };
    for (const Edit& edit : editsOf(expectation, changes)) {
        keepUpTo(edit.at);
        if (edit.takesOut) {
            ++from;
        } else {
            effects.push_back({to, to + 1, edit.key - expectation.result(to)});
            ++to;
        }
    }
    keepUpTo(expectation.resultSize());
    return effects;
}

// For a bitonic sort (A2SortPairs.glsl): calls body(low, high) with the indices of each pair, until it returns false.
template <class Body>
bool eachPair(std::uint64_t n, std::uint64_t stride, bool starts, const Body& body)
{
    for (std::uint64_t begin = 0; begin + stride < n; begin += 2 * stride)
        for (std::uint64_t i = 0; i < stride && begin + stride + i < n; ++i)
            if (!body(starts ? begin + stride - 1 - i : begin + i, begin + stride + i)) return false;
    return true;
}

void compare(Keys& keys, std::uint64_t stride, bool starts)
{
    eachPair(keys.size(), stride, starts, [&](std::uint64_t low, std::uint64_t high) {
        if (keys[low] > keys[high]) std::swap(keys[low], keys[high]);
        return true;
    });
}

// A step of one of the three sorts, and a property that always holds after it, which is cheaper to check.
struct SortStep {
    std::string what;
    std::function<void(Keys& keys)> make;
    std::function<bool(std::span<const std::uint32_t> left)> mayBe;
};

SortStep comparing(std::uint64_t stride, bool starts)
{
    return {starts ? fmt::format("runs of {} keys compared from the middle outwards", stride)
                   : fmt::format("keys that are {} apart in order", stride),
            [=](Keys& keys) { compare(keys, stride, starts); },
            [=](std::span<const std::uint32_t> left) {
                return eachPair(left.size(), stride, starts,
                                [&](std::uint64_t low, std::uint64_t high) { return left[low] <= left[high]; });
            }};
}

// Two steps in one dispatch: an invocation has four keys.
SortStep comparingTwice(std::uint64_t stride)
{
    return {fmt::format("keys that are {} apart in order, and then those {} apart", stride, stride / 2),
            [=](Keys& keys) {
                compare(keys, stride, false);
                compare(keys, stride / 2, false);
            },
            comparing(stride / 2, false).mayBe};
}

SortStep sortingTiles(std::uint64_t tile)
{
    return {fmt::format("tiles of {} keys sorted", tile),
            [=](Keys& keys) {
                eachTile(0, keys.size(), tile, [&](std::uint64_t, std::uint64_t first, std::uint64_t end) {
                    std::sort(keys.begin() + static_cast<std::ptrdiff_t>(first),
                              keys.begin() + static_cast<std::ptrdiff_t>(end));
                    return true;
                });
            },
            [=](std::span<const std::uint32_t> left) {
                return eachTile(0, left.size(), tile, [&](std::uint64_t, std::uint64_t first, std::uint64_t end) {
                    const auto part = left.subspan(first, end - first);
                    return std::is_sorted(part.begin(), part.end());
                });
            }};
}

SortStep endingMerges(std::uint64_t tile)
{
    return {fmt::format("merges ended in tiles of {} keys", tile),
            [=](Keys& keys) {
                for (std::uint64_t stride = tile / 2; stride > 0; stride /= 2) compare(keys, stride, false);
            },
            comparing(1, false).mayBe};
}

SortStep sortingByBits(unsigned shift, unsigned bits)
{
    const auto isLess = [=](std::uint32_t one, std::uint32_t other) {
        const std::uint32_t digits = (std::uint32_t{1} << bits) - 1;
        return (one >> shift & digits) < (other >> shift & digits);
    };
    return {fmt::format("keys sorted by bits {} to {}", shift, std::min(shift + bits, 32U) - 1),
            [=](Keys& keys) { std::stable_sort(keys.begin(), keys.end(), isLess); },
            [=](std::span<const std::uint32_t> left) { return std::is_sorted(left.begin(), left.end(), isLess); }};
}

std::vector<SortStep> stepsOf(std::uint64_t n)
{
    std::vector<SortStep> all;
    for (std::uint64_t stride = 1; stride < n; stride *= 2)
        for (const bool starts : {true, false}) all.push_back(comparing(stride, starts));
    for (std::uint64_t stride = 2; stride < n; stride *= 2) all.push_back(comparingTwice(stride));
    for (std::uint64_t tile = 2; tile / 2 < n; tile *= 2) {
        all.push_back(sortingTiles(tile));
        all.push_back(endingMerges(tile));
    }
    // Those that divide 32 first: others are rarer, and few keys may fit several.
    for (const unsigned bits : {1U, 2U, 4U, 8U, 3U, 5U, 6U, 7U, 9U, 10U, 11U, 12U, 16U})
        for (unsigned shift = 0; shift < 32; shift += bits) all.push_back(sortingByBits(shift, bits));
    return all;
}

LeftArray nearestStep(std::span<const std::uint32_t> found, std::span<const std::uint32_t> left, bool exactly)
{
    LeftArray nearest;
    std::uint64_t fewest = UINT64_MAX;
    const std::vector<SortStep> steps = stepsOf(found.size());
    for (const bool all : {false, true}) {  // a wrong result may fit no step's property
        if (all && exactly) return {};
        for (const SortStep& step : steps) {
            if (!all && !step.mayBe(left)) continue;
            Keys keys(found.begin(), found.end());
            step.make(keys);
            std::uint64_t differ = 0;
            for (std::size_t i = 0; i < keys.size() && differ < fewest; ++i) differ += keys[i] != left[i];
            if (differ >= fewest) continue;
            fewest = differ;
            nearest = {step.what, std::move(keys)};
            if (fewest == 0) return nearest;
        }
    }
    return nearest;
}

std::string sayWhereItBelongs(const Expectation& expectation, std::uint64_t, std::uint32_t got)
{
    const std::span<const std::uint32_t> keys = expectation.reference();
    const auto [first, end] = std::equal_range(keys.begin(), keys.end(), got);
    if (first == end) return fmt::format("no element of the array is {}: it was made up, not moved", got);
    const auto from = first - keys.begin(), last = end - keys.begin() - 1;
    return from == last ? fmt::format("{} belongs at index {}", got, from)
                        : fmt::format("{} belongs at indices {} to {}", got, from, last);
}

// Few elements may be in several orders; and if none has moved, in one by chance.
std::string sayHowItIsSorted(const Expectation& expectation, std::span<const std::uint32_t> left)
{
    if (!std::ranges::equal(sorted(left, true), expectation.reference())) return {};
    std::string orders;
    const auto look = [&](const char* order, auto&& isLess) {
        if (std::is_sorted(left.begin(), left.end(), isLess))
            orders += (orders.empty() ? "" : ", or ") + std::string(order);
    };
    look("as signed numbers",
         [](std::uint32_t a, std::uint32_t b) { return static_cast<std::int32_t>(a) < static_cast<std::int32_t>(b); });
    look("as floats, which have 24 bits of a key",
         [](std::uint32_t a, std::uint32_t b) { return static_cast<float>(a) < static_cast<float>(b); });
    look("from the largest to the smallest", std::greater<std::uint32_t>());
    if (orders.empty()) return {};
    constexpr std::size_t few = 8;
    if (left.size() < few)
        return fmt::format("the array is in order {}, but so few keys may be so by chance: look at -n 64, too", orders);
    const bool asGiven = std::ranges::equal(left, expectation.input().values());
    return fmt::format("the array is in order {}{}: keys are numbers from 0 to 2^32 - 1, so compare them as uint",
                       orders, asGiven ? ", or as it was given, and then a dispatch is missing" : "");
}

constinit const TaskClass sort = {
    .tag = "[Lab]",
    .easyPattern = "shuffled",
    .compares = true,
    .valuesArePlaces = true,
    .addsUp = false,
    .ownArray = true,

    .minimumTraffic = scanTraffic,

    .give = giveInput,
    .result = referenceResult,
    .matches = matchesReference,
    .effects = effectsOf,
    .reference = [](std::span<const std::uint32_t> elements) { return sorted(elements, true); },
    .nearestStep = nearestStep,
    .otherwise = sayHowItIsSorted,
    .hint = sayWhereItBelongs,

    .onHost =
        [](const Expectation& expectation, std::span<std::uint32_t> out, bool allCores) {
            const std::span<const std::uint32_t> elements = expectation.input().values();
            std::copy(elements.begin(), elements.end(), out.begin());
            sortOn(out, allCores);
        },
    .oneCoreMs = [](const Input& input) { return msToMake([&] { return sorted(input.values(), false); }); },
};

Task row(const char* id, const char* label, const char* hostFile, const char* factory, std::vector<std::string> shaders)
{
    return {.id = id,
            .label = label,
            .taskClass = &sort,
            .shaders = std::move(shaders),
            .hostFile = hostFile,
            .factory = factory,
            .shape = {512, 8},
            .scheme = {.steps = StepModel::result},
            .byDefault = false,
            .lab = true,
            .bindsWhole = true};
}

}  // namespace

std::vector<Task> sortRows()
{
    const char *const bitonic = "courses/sort/Bitonic.cpp", *const radix = "courses/sort/Radix.cpp";
    Task byDigits =
        row("sort/radix", "Sort Radix", radix, "SortRadix", {"A2SortCount", "A2SortOffsets", "A2SortScatter"});
    constexpr std::uint32_t mostDigits = SORT_DIGITS(UINT32_MAX);
    byDigits.shape = {256, 12};
    byDigits.sharedWords = 9 * mostDigits + 1;  // eight rows of counters, places, the width of subgroups
    byDigits.sharedWordsPerInvocation = 1;      // a sum
    byDigits.wordsPerTile = mostDigits;
    byDigits.needs = {"subgroup arithmetic", "subgroup ballot", "subgroup vote"};
    return {row("sort/global", "Sort Global", bitonic, "SortGlobal", {"A2SortGlobal"}),
            row("sort/shared", "Sort Shared", bitonic, "SortShared", {"A2SortShared", "A2SortGlobal"}), byDigits};
}

}  // namespace a2
