#include "spirv/EmulatorCores.h"

#include "spirv/EmulatorWalk.h"

#include <algorithm>
#include <atomic>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

namespace a2::emulator {

namespace {

constexpr std::uint64_t leastInvocations = 2048;                // fewer end before other cores have begun
constexpr std::uint64_t mostCopied = std::uint64_t{256} << 20;  // bytes of the buffers, for all parts together

bool mayTellEachOther(const Code& code)
{
    return std::any_of(code.accesses.begin(), code.accesses.end(), [](const Access& one) { return one.coherent; }) ||
           std::any_of(code.atomics.begin(), code.atomics.end(),
                       [&](const Atomic& one) { return code.accesses[one.access].space != Space::shared; });
}

std::uint64_t partsOf(const EmulatedDispatch& dispatch, const EmulatorSettings& settings, std::uint64_t groups)
{
    const Code& code = dispatch.kernel->code();
    if (settings.order != EmulatorSettings::Order::forwards || settings.together > 1 || settings.watchedAlone ||
        settings.seen || settings.isFollowed() || settings.traces || !settings.pauses.empty() ||
        groups * code.invocations < leastInvocations || mayTellEachOther(code))
        return 1;
    std::uint64_t bytes = 0;
    for (const EmulatedBinding& one : dispatch.bindings)
        if (one.buffer) bytes += one.buffer->bytes();
    const std::uint64_t cores = settings.cores > 0 ? settings.cores : std::thread::hardware_concurrency();
    const std::uint64_t parts = std::min(cores, groups);
    return bytes > mostCopied / std::max<std::uint64_t>(1, parts) ? 1 : parts;
}

// Some work-groups, with their own copies of the buffers.
struct Part {
    EmulatedDispatch dispatch;
    std::vector<std::pair<EmulatedBuffer*, std::unique_ptr<EmulatedBuffer>>> copies;  // original and copy
    Emulated result;

    explicit Part(const EmulatedDispatch& whole) : dispatch(whole)
    {
        for (EmulatedBinding& one : dispatch.bindings) {
            if (!one.buffer) continue;
            auto found =
                std::find_if(copies.begin(), copies.end(), [&](const auto& copy) { return copy.first == one.buffer; });
            if (found == copies.end())
                found = copies.emplace(copies.end(), one.buffer, std::make_unique<EmulatedBuffer>(*one.buffer));
            one.buffer = found->second.get();
        }
    }

    // Whether there is nothing to report about it.
    bool isPlain() const { return result.complete && result.findings.empty() && result.unsetStores.empty(); }
};

bool meet(const WordBits& a, const WordBits& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if ((a[i] & b[i]) != 0) return true;
    return false;
}

void unite(WordBits& all, const WordBits& more)
{
    for (std::size_t i = 0; i < all.size(); ++i) all[i] |= more[i];
}

// The buffers have the same order in every part.
bool areIndependent(const std::vector<Part>& parts)
{
    for (std::size_t buffer = 0; buffer < parts[0].result.uses.size(); ++buffer) {
        WordBits read(parts[0].result.uses[buffer].read.size()), written = read;
        for (const Part& part : parts) {
            const EmulatedUse& use = part.result.uses[buffer];
            if (meet(use.written, read) || meet(use.written, written) || meet(use.read, written)) return false;
            unite(read, use.read);
            unite(written, use.written);
        }
    }
    return true;
}

template <class Number>
void addEach(std::vector<Number>& sums, const std::vector<Number>& more)
{
    if (sums.size() < more.size()) sums.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
}

void addPhases(Phases& all, const Phases& more)
{
    if (all.size() < more.size()) all.resize(more.size());
    for (std::size_t i = 0; i < more.size(); ++i) {
        addEach(all[i].active, more[i].active);
        all[i].additions += more[i].additions;
        all[i].reads += more[i].reads;
        all[i].writes += more[i].writes;
        all[i].lost += more[i].lost;
    }
}

void add(Emulated& all, const Emulated& more)
{
    all.free = all.free || more.free;
    all.waited = all.waited || more.waited;
    all.mostTurns = std::max(all.mostTurns, more.mostTurns);
    for (const Emulated::Note& note : more.notes)
        if (std::find(all.notes.begin(), all.notes.end(), note) == all.notes.end()) all.notes.push_back(note);
    if (!all.unknown) all.unknown = more.unknown;
    if (all.unchecked.empty()) all.unchecked = more.unchecked;
    for (std::size_t i = 0; i < all.uses.size(); ++i) {
        unite(all.uses[i].read, more.uses[i].read);
        unite(all.uses[i].written, more.uses[i].written);
    }
    addPhases(all.phases, more.phases);
    addEach(all.sharedAtomics, more.sharedAtomics);
    addEach(all.conflicts, more.conflicts);  // those of one work-group, which is in only one part
    for (const auto number : {&Emulated::instructions, &Emulated::effort, &Emulated::invocations, &Emulated::idle,
                              &Emulated::sharedRequests, &Emulated::bankTurns, &Emulated::requests, &Emulated::sectors,
                              &Emulated::transactions, &Emulated::branches, &Emulated::divergentBranches})
        all.*number += more.*number;
}

void bringBack(const Part& part)
{
    for (const EmulatedUse& use : part.result.uses) {
        const auto copy = std::find_if(part.copies.begin(), part.copies.end(),
                                       [&](const auto& one) { return one.second.get() == use.buffer; });
        EmulatedBuffer& to = *copy->first;
        for (std::size_t word = 0; word < to.words().size(); ++word) {
            if (use.written[word / 64] == 0) {
                word |= 63;
            } else if (EmulatedUse::has(use.written, word)) {
                to.words()[word] = use.buffer->words()[word];
                to.setMarks()[word] = use.buffer->setMarks()[word];
            }
        }
    }
}

}  // namespace

std::optional<Emulated> emulateOnCores(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    const std::uint64_t groups = groupsOf(dispatch);
    const std::uint64_t count = partsOf(dispatch, settings, groups);
    if (count < 2) return {};
    std::vector<Part> parts;
    for (std::uint64_t i = 0; i < count; ++i) parts.emplace_back(dispatch);

    std::atomic<bool> inVain = false;
    EmulatorSettings ofPart = settings;
    ofPart.ends = [&] { return inVain || (settings.ends && settings.ends()); };
    const auto walk = [&](std::uint64_t i) {
        const std::uint64_t first = groups / count * i + std::min(i, groups % count);
        const std::uint64_t length = groups / count + (i < groups % count);
        parts[i].result = Walk(parts[i].dispatch, ofPart, first, length).run();
        if (!parts[i].isPlain()) inVain = true;
    };
    try {
        std::vector<std::future<void>> others;
        for (std::uint64_t i = 1; i < count; ++i) others.push_back(std::async(std::launch::async, walk, i));
        walk(0);
        for (auto& other : others) other.get();
    } catch (const std::system_error&) {  // the system has no more threads
        return {};
    }
    std::uint64_t effort = 0;
    for (const Part& part : parts) effort += part.result.effort;
    if (inVain || effort > settings.budget || !areIndependent(parts)) return {};

    for (const Part& part : parts) bringBack(part);
    Emulated all = std::move(parts[0].result);
    all.cores = static_cast<std::uint32_t>(count);
    for (std::size_t i = 1; i < parts.size(); ++i) add(all, parts[i].result);
    for (EmulatedUse& use : all.uses)
        for (const auto& [original, copy] : parts[0].copies)
            if (copy.get() == use.buffer) {
                use.buffer = original;
                break;
            }
    return all;
}

}  // namespace a2::emulator
