#include "judge/Diagnosis.h"

#include "lint/Finding.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace a2 {

std::uint64_t smallestFailing(std::uint64_t n, const std::vector<std::uint64_t>& sizes, double seconds,
                              const ProbeRun& run)
{
    constexpr std::uint64_t everyLengthUpTo = 300;
    const Deadline deadline(seconds);
    std::set<std::uint64_t> candidates;
    for (std::uint64_t size = 1; size < n && size != 0; size *= 2) candidates.insert({size, std::min(size + 1, n)});
    candidates.insert(sizes.begin(), sizes.end());
    candidates.erase(0);  // which has no elements to look at
    candidates.erase(candidates.lower_bound(n), candidates.end());

    std::uint64_t passing = 0, failing = n;
    for (const std::uint64_t size : candidates) {
        if (deadline.passed()) return failing;
        if (!run(size, {}, 0).passed) {
            failing = size;
            break;
        }
        passing = size;
    }
    while (failing - passing > 1 && !deadline.passed()) {
        const std::uint64_t middle = passing + (failing - passing) / 2;
        (run(middle, {}, 0).passed ? passing : failing) = middle;
    }
    for (std::uint64_t size = 1; size < std::min(failing, everyLengthUpTo + 1) && !deadline.passed(); ++size)
        if (!candidates.count(size) && !run(size, {}, 0).passed) return size;
    return failing;
}

Contributions contributions(std::uint64_t n, std::uint64_t index, double seconds, const ProbeRun& run)
{
    constexpr std::uint64_t mostProbes = 2048;
    constexpr std::uint32_t mostTimes = 64;  // larger counts are not accepted
    const Deadline deadline(seconds);
    Contributions found;
    found.n = n;
    found.index = index;
    const std::uint64_t step = n > mostProbes ? n / mostProbes : 1;
    found.sampled = step > 1;
    const auto look = [&](std::uint64_t position) {
        const Probe probe = run(n, position, index);
        ++found.tried;
        if (probe.got > mostTimes)
            found.garbage.push_back(position);
        else if (probe.expected == 1 && probe.got == 0)
            found.never.push_back(position);
        else if (probe.expected == 1 && probe.got > 1)
            found.repeated.push_back(position);
        else if (probe.expected == 0 && probe.got > 0)
            found.foreign.push_back(position);
    };
    for (std::uint64_t position = 0; position + 1 < n; position += step) {
        if (deadline.passed()) {
            found.sampled = true;
            break;
        }
        look(position);
    }
    if (n > 0) look(n - 1);  // the tail, whatever the step
    return found;
}

std::string rangesText(const std::vector<std::uint64_t>& positions)
{
    if (positions.empty()) return positionsText(positions);
    return fmt::format("{} ({} element{})", positionsText(positions), positions.size(),
                       positions.size() == 1 ? "" : "s");
}

}  // namespace a2
