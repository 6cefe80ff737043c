#include "judge/CpuTimes.h"

#include "base/Clock.h"
#include "a2/Error.h"
#include "judge/Statistics.h"

#include <algorithm>
#include <functional>
#include <numeric>
#ifdef A2_PARALLEL_ALGORITHMS
#include <execution>
#endif
// In a build folder from before TBB was installed, an old precompiled header can still say that there is none.
#if defined(__GLIBCXX__) && !defined(_PSTL_PAR_BACKEND_TBB) && !defined(__MINGW32__)
#error "std::execution would run on one core: install libtbb-dev, then remove the build folder and build again"
#endif

namespace a2 {

namespace {

void check(bool right)
{
    if (!right)
        throw Error(ExitStatus::internal, "the CPU's own result is wrong: is the memory sound? (or a fault of a2)");
}

// For one thread, and again for all cores: together two seconds.
constexpr double budgetMs = 1000;

double medianMs(const std::function<void()>& work, const std::function<bool()>& right)
{
    return medianWithin(budgetMs, work, right);
}

std::vector<std::uint64_t> tileBegins(std::uint64_t n, std::uint64_t tile)
{
    std::vector<std::uint64_t> begins(ceilDiv(n, tile));
    for (std::uint64_t i = 0; i < begins.size(); ++i) begins[i] = i * tile;
    return begins;
}

std::ptrdiff_t signedIndex(std::uint64_t i) { return static_cast<std::ptrdiff_t>(i); }

// Below, `policy` is an execution policy, or nothing for one thread.
template <class... Policy>
double reduceMs(const Input& input, const Policy&... policy)
{
    std::uint32_t sum = 0;
    const auto work = [&] { sum = std::reduce(policy..., input.values().begin(), input.values().end(), 0U); };
    return medianMs(work, [&] { return sum == input.sum(); });
}

template <class... Policy>
double scanMs(const Expectation& expectation, std::span<std::uint32_t> out, const Policy&... policy)
{
    const std::span<const std::uint32_t> in = expectation.input().values();
    const auto work = [&] {
        if (expectation.shape().exclusive)
            std::exclusive_scan(policy..., in.begin(), in.end(), out.begin(), 0U);
        else
            std::inclusive_scan(policy..., in.begin(), in.end(), out.begin());
    };
    return medianMs(work, [&] { return expectation.matches(0, out); });
}

// Tile by tile; the tiles side by side, each on one core.
template <class... Policy>
double localScanMs(const Expectation& expectation, std::span<std::uint32_t> out, const Policy&... policy)
{
    const std::span<const std::uint32_t> in = expectation.input().values();
    const std::uint64_t tile = expectation.shape().tile();
    const std::vector<std::uint64_t> begins = tileBegins(in.size(), tile);
    const auto scanTile = [&](std::uint64_t begin) {
        const std::uint64_t end = std::min<std::uint64_t>(begin + tile, in.size());
        const auto first = in.begin() + signedIndex(begin), last = in.begin() + signedIndex(end);
        if (expectation.shape().exclusive)
            std::exclusive_scan(first, last, out.begin() + signedIndex(begin), 0U);
        else
            std::inclusive_scan(first, last, out.begin() + signedIndex(begin));
    };
    const auto work = [&] { std::for_each(policy..., begins.begin(), begins.end(), scanTile); };
    // The ends of the tiles depend on all that was added.
    return medianMs(work, [&] {
        return std::all_of(begins.begin(), begins.end(), [&](std::uint64_t begin) {
            const std::uint64_t last = std::min<std::uint64_t>(begin + tile, in.size()) - 1;
            return out[last] == expectation.result(last);
        });
    });
}

// As the Offset kernel does it: in place, to each tile what lies to its left. Only the first run finds local scans;
// what the others find is as much work.
template <class... Policy>
double offsetMs(const Expectation& expectation, std::span<std::uint32_t> out, const Policy&... policy)
{
    const std::uint64_t n = expectation.input().size(), tile = expectation.shape().tile();
    const std::vector<std::uint64_t> begins = tileBegins(n, tile);
    expectation.give(0, out);
    const auto addOffset = [&](std::uint64_t begin) {
        const std::uint32_t offset = expectation.givenOffset(begin / tile);
        std::for_each(out.begin() + signedIndex(begin), out.begin() + signedIndex(std::min(begin + tile, n)),
                      [offset](std::uint32_t& element) { element += offset; });
    };
    const auto work = [&] { std::for_each(policy..., begins.begin(), begins.end(), addOffset); };
    return medianMs(work, [&] { return expectation.matches(0, out); });
}

template <class... Policy>
double workMs(const Expectation& expectation, std::span<std::uint32_t> out, const Policy&... policy)
{
    switch (expectation.kind()) {
        case TaskKind::reduce:
            break;
        case TaskKind::scan:
            return scanMs(expectation, out, policy...);
        case TaskKind::localScan:
            return localScanMs(expectation, out, policy...);
        case TaskKind::offset:
            return offsetMs(expectation, out, policy...);
    }
    return reduceMs(expectation.input(), policy...);
}

}  // namespace

double medianWithin(double budget, const std::function<void()>& work, const std::function<bool()>& right)
{
    constexpr std::size_t most = 5;
    const auto timed = [&] {
        const auto start = Clock::now();
        work();
        return msSince(start);
    };
    const double first = timed();
    check(right());
    std::vector<double> samples;
    for (double spent = first, last = first; samples.size() < most && spent + last <= budget; spent += last) {
        last = timed();
        samples.push_back(last);
    }
    if (samples.empty()) return first;  // so long a run has no need to warm up
    return statistics(std::move(samples)).median;
}

CpuTimes CpuTimer::of(const Expectation& expectation)
{
    const TaskKind kind = expectation.kind();
    const bool tiled = kind == TaskKind::localScan || kind == TaskKind::offset;
    const auto key = std::tuple(kind, tiled ? expectation.shape().tile() : 0, expectation.shape().exclusive);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;

    const std::span<std::uint32_t> out = kind == TaskKind::reduce ? std::span<std::uint32_t>() : outOnce();
    CpuTimes times;
    times.oneThreadMs = workMs(expectation, out);
#ifdef A2_PARALLEL_ALGORITHMS
    times.allCoresMs = workMs(expectation, out, std::execution::par_unseq);
#endif
    known_[key] = times;
    return times;
}

std::span<std::uint32_t> CpuTimer::outOnce()
{
    if (!out_) {
        out_ = makeHostArray(input_.size());
        // Written once before anything is timed: with that the system finds the memory.
        inParallel(input_.size(), [&](std::uint64_t first, std::uint64_t end) {
            std::fill(out_.get() + first, out_.get() + end, std::uint32_t{0});
        });
    }
    return {out_.get(), input_.size()};
}

}  // namespace a2
