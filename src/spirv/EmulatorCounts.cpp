#include "spirv/EmulatorCounts.h"

#include "spirv/Emulator.h"

#include <algorithm>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::size_t mostRequests = std::size_t{1} << 22;  // in a phase of a work-group
constexpr std::uint64_t mostSteps = 1 << 20;
constexpr std::uint64_t sectorBytes = 32, sectorsOfTransaction = 4;

void addActive(std::uint64_t steps, std::vector<std::uint64_t>& ends)
{
    if (ends.size() <= steps) ends.resize(steps + 1);
    ++ends[steps];
}

// From the number of invocations that end after each number of steps to the number active in each step.
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

void GroupCounts::start(std::uint32_t invocations, std::size_t instructions, const Setting& setting)
{
    setting_ = setting;
    invocations_ = invocations;
    work_.assign(invocations, {});
    sites_.resize(instructions);
    numbered_ = 0;
}

// Null if there are too many.
GroupCounts::Request* GroupCounts::requestOf(std::uint32_t invocation, std::uint32_t at, std::uint32_t together)
{
    Site& site = sites_[at];
    if (site.times.empty()) {
        site.times.assign(invocations_, 0);
        begun_.push_back(at);
    }
    const std::size_t asking = (invocations_ + together - 1) / together;
    const std::size_t place = site.times[invocation]++ * asking + invocation / together;
    if (place >= site.requests.size()) {
        kept_ += asking;
        if (kept_ > mostRequests) {
            ++lost_;
            return nullptr;
        }
        site.requests.resize((place / asking + 1) * asking);
    }
    Request& request = site.requests[place];
    if (request.number == 0) request.number = ++numbered_;
    return &request;
}

std::uint32_t GroupCounts::sharedAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t word)
{
    Request* request = requestOf(invocation, at, setting_.conflictsTogether);
    if (!request) return 0;
    sites_[at].shared = true;
    request->places.push_back(word);
    return request->number;
}

std::uint32_t GroupCounts::bufferAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t buffer,
                                        std::uint64_t byte, std::uint64_t bytes)
{
    Request* request = requestOf(invocation, at, setting_.subgroupSize);
    if (!request || bytes == 0) return 0;
    std::vector<std::uint64_t>& places = request->places;
    requests_ += places.empty();
    const std::uint64_t last = (byte + bytes - 1) / sectorBytes;
    for (std::uint64_t sector = byte / sectorBytes; sector <= last; ++sector) {
        const std::uint64_t place = buffer << 48 | sector;
        // The last place is the most likely one for a neighbour.
        if (std::find(places.rbegin(), places.rend(), place) != places.rend()) continue;
        ++sectors_;
        transactions_ += std::none_of(places.rbegin(), places.rend(), [&](std::uint64_t other) {
            return other / sectorsOfTransaction == place / sectorsOfTransaction;
        });
        places.push_back(place);
    }
    return request->number;
}

void GroupCounts::branch(std::uint32_t invocation, std::uint32_t at, std::uint32_t way)
{
    Request* request = requestOf(invocation, at, setting_.subgroupSize);
    if (!request) return;
    if (request->way == none) {
        ++branches_;
        request->way = way;
    } else if (request->way != way && !request->parted) {
        ++parted_;
        request->parted = true;
    }
}

// An invocation takes a step per addition or per word that it writes, whichever are more. If it does neither, it takes
// a step per word that it reads, or one step for all that it moves in shared memory.
void GroupCounts::endPhase(std::uint64_t phase, bool isWatched, Emulated& result)
{
    if (result.phases.size() <= phase) result.phases.resize(phase + 1);
    if (result.sharedAtomics.size() <= phase) result.sharedAtomics.resize(phase + 1);
    PhaseCounts& sum = result.phases[phase];
    std::vector<std::uint64_t> ends, turns, active;
    for (InvocationWork& work : work_) {
        sum.additions += work.additions + work.atomicAdditions;
        sum.reads += work.reads;
        sum.writes += work.writes;
        const std::uint64_t results = std::max(work.additions, work.writes);
        std::uint64_t steps = results > 0 ? results : work.reads;
        if (work.shared) steps = std::max<std::uint64_t>(steps, 1);
        if (steps > mostSteps)
            ++sum.lost;
        else if (steps > 0)
            addActive(steps, ends);
        work = {};
    }
    appendActive(ends, active);
    // Atomics on one word take turns, after the other work of the phase.
    for (const auto& [cell, count] : atomics_) {
        result.sharedAtomics[phase] += count;
        if (count <= mostSteps) addActive(count, turns);
    }
    appendActive(turns, active);
    atomics_.clear();
    if (sum.active.size() < active.size()) sum.active.resize(active.size());
    for (std::size_t step = 0; step < active.size(); ++step) sum.active[step] += active[step];

    sum.lost += std::exchange(lost_, 0);
    result.requests += std::exchange(requests_, 0);
    result.sectors += std::exchange(sectors_, 0);
    result.transactions += std::exchange(transactions_, 0);
    result.branches += std::exchange(branches_, 0);
    result.divergentBranches += std::exchange(parted_, 0);
    if (isWatched) countBanks(phase, result);
    for (const std::uint32_t at : begun_) {
        sites_[at].times.clear();
        sites_[at].requests.clear();
    }
    begun_.clear();
    kept_ = 0;
}

void GroupCounts::countBanks(std::uint64_t phase, Emulated& result)
{
    if (result.conflicts.size() <= phase) result.conflicts.resize(phase + 1);
    std::vector<std::uint32_t> inBank(setting_.banks);
    for (const std::uint32_t at : begun_) {
        if (!sites_[at].shared) continue;
        for (Request& request : sites_[at].requests) {
            if (request.places.empty()) continue;
            std::sort(request.places.begin(), request.places.end());
            const auto end = std::unique(request.places.begin(), request.places.end());
            std::fill(inBank.begin(), inBank.end(), 0);
            for (auto word = request.places.begin(); word != end; ++word) ++inBank[*word % inBank.size()];
            const std::uint32_t worst = *std::max_element(inBank.begin(), inBank.end());
            result.conflicts[phase] = std::max(result.conflicts[phase], worst);
            ++result.sharedRequests;
            result.bankTurns += worst;
        }
    }
}

}  // namespace a2::emulator
