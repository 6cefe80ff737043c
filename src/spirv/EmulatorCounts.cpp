#include "spirv/EmulatorCounts.h"

#include "spirv/Emulator.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace a2::emulator {

namespace {

constexpr std::size_t mostRequests = std::size_t{1} << 24;
constexpr std::uint64_t mostSteps = 1 << 20;

void addActive(std::uint64_t steps, std::vector<std::uint64_t>& ends)
{
    if (ends.size() <= steps) ends.resize(steps + 1);
    ++ends[steps];
}

// From how many end after so many steps to how many are active in each.
void appendActive(const std::vector<std::uint64_t>& ends, std::vector<std::uint64_t>& active)
{
    const std::size_t before = active.size();
    std::uint64_t more = 0;
    if (ends.size() < 2) return;
    active.resize(before + ends.size() - 1);
    for (std::size_t step = ends.size() - 1; step > 0; --step) {
        more += ends[step];
        active[before + step - 1] = more;
    }
}

}  // namespace

void GroupCounts::start(std::size_t invocations, std::size_t instructions, bool isWatched)
{
    work_.assign(invocations, {});
    atomics_.clear();
    isWatched_ = isWatched;
    times_.assign(invocations * instructions, 0);
    sharedRequests_.clear();
    bufferRequests_.clear();
    branches_.clear();
}

void GroupCounts::sharedAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t word)
{
    if (sharedRequests_.size() < mostRequests)
        sharedRequests_.push_back({at, timeOf(invocation, at), invocation, word});
}

void GroupCounts::bufferAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t buffer, std::uint64_t byte)
{
    if (bufferRequests_.size() < mostRequests)
        bufferRequests_.push_back({at, timeOf(invocation, at), invocation, buffer << 48 | byte});
}

void GroupCounts::branch(std::uint32_t invocation, std::uint32_t at, std::uint32_t way)
{
    if (branches_.size() < mostRequests) branches_.push_back({at, timeOf(invocation, at), invocation, way});
}

// An invocation takes a step per addition or per word that it writes, whichever are more; where it does neither, one
// per word that it reads, or one for all that it moves in shared memory.
void GroupCounts::endPhase(std::uint64_t phase, std::uint32_t banks, std::uint32_t together, Emulated& result)
{
    if (result.phases.size() <= phase) result.phases.resize(phase + 1);
    if (result.sharedAtomics.size() <= phase) result.sharedAtomics.resize(phase + 1);
    PhaseCounts one;
    std::vector<std::uint64_t> ends, turns;
    for (InvocationWork& work : work_) {
        one.additions += work.additions + work.atomicAdditions;
        one.reads += work.reads;
        one.writes += work.writes;
        const std::uint64_t results = std::max(work.additions, work.writes);
        std::uint64_t steps = results > 0 ? results : work.reads;
        if (work.shared) steps = std::max<std::uint64_t>(steps, 1);
        if (steps > mostSteps)
            ++one.lost;
        else if (steps > 0)
            addActive(steps, ends);
        work = {};
    }
    appendActive(ends, one.active);
    // Atomics on one word take turns, behind what else the phase does.
    for (const auto& [cell, count] : atomics_) {
        result.sharedAtomics[phase] += count;
        if (count <= mostSteps) addActive(count, turns);
    }
    appendActive(turns, one.active);
    atomics_.clear();
    Phases here(phase + 1);
    here[phase] = std::move(one);
    addPhases(here, 1, result.phases);

    if (!isWatched_) return;
    if (result.conflicts.size() <= phase) result.conflicts.resize(phase + 1);
    std::vector<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t>> words;
    for (const Request& request : sharedRequests_)
        words.emplace_back(request.at, request.time, request.invocation / together, request.where % banks,
                           request.where);
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::uint32_t worst = 0, inBank = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const auto& [at, time, who, bank, word] = words[i];
        const bool goesOn =
            i > 0 && std::tie(at, time, who, bank) == std::tie(std::get<0>(words[i - 1]), std::get<1>(words[i - 1]),
                                                               std::get<2>(words[i - 1]), std::get<3>(words[i - 1]));
        inBank = goesOn ? inBank + 1 : 1;
        worst = std::max(worst, inBank);
    }
    result.conflicts[phase] = worst;
    // The n-th time is counted from the last barrier on.
    for (const Request& request : sharedRequests_) times_[request.at * work_.size() + request.invocation] = 0;
    sharedRequests_.clear();
}

void GroupCounts::end(std::uint32_t subgroupSize, Emulated& result)
{
    using Seen = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t, std::uint64_t>;
    std::vector<Seen> all;
    const auto distinct = [&] {
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all.size();
    };
    for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{32}, std::uint64_t{128}}) {
        all.clear();
        for (const Request& one : bufferRequests_) {
            const std::uint64_t buffer = one.where >> 48, byte = one.where & lowBits(48);
            all.emplace_back(one.at, one.time, one.invocation / subgroupSize,
                             bytes == 0 ? 0 : buffer << 48 | byte / bytes);
        }
        (bytes == 0 ? result.requests : bytes == 32 ? result.sectors : result.transactions) += distinct();
    }
    all.clear();
    for (const Request& one : branches_) all.emplace_back(one.at, one.time, one.invocation / subgroupSize, one.where);
    distinct();
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool another = i > 0 && std::get<0>(all[i]) == std::get<0>(all[i - 1]) &&
                             std::get<1>(all[i]) == std::get<1>(all[i - 1]) &&
                             std::get<2>(all[i]) == std::get<2>(all[i - 1]);
        const bool third = another && i > 1 && std::get<0>(all[i]) == std::get<0>(all[i - 2]) &&
                           std::get<1>(all[i]) == std::get<1>(all[i - 2]) &&
                           std::get<2>(all[i]) == std::get<2>(all[i - 2]);
        if (!another)
            ++result.branches;
        else if (!third)
            ++result.divergentBranches;
    }
}

}  // namespace a2::emulator
