#include "lint/EmulatedSample.h"

#include <algorithm>
#include <bit>
#include <set>
#include <string_view>
#include <variant>

namespace a2 {

namespace {

constexpr std::uint64_t leastOfOne = std::uint64_t{1} << 16,
                        mostOfOne = std::uint64_t{1} << 20;   // instructions of one work-group
constexpr std::uint64_t mostMoved = std::uint64_t{1} << 22;   // bytes of a transfer; a longer one is not followed
constexpr std::uint64_t mostMarked = std::uint64_t{1} << 27;  // bytes of marks for used words, of all walks together
// For all buffers together; it is more than a CPU driver's largest binding. In longer ones, marking words takes longer
// than the walk.
constexpr std::uint64_t mostBytes = std::uint64_t{320} << 20;

// An arbitrary number, different for each seed.
std::uint64_t scattered(std::uint64_t seed) { return (seed + 1) * 0x9E3779B97F4A7C15ULL >> 11; }

// The numbers of the work-groups to walk, each once. few: for a kernel that was walked before.
std::vector<std::uint64_t> groupsToWalk(const std::array<std::uint32_t, 3>& groups, std::uint64_t seed, bool few)
{
    const std::uint64_t x = groups[0], row = x * groups[1], all = row * groups[2];
    if (all == 0) return {};
    std::vector<std::uint64_t> some = {0, all - 1, x};
    if (!few) some.insert(some.end(), {x - 1, row - 1, row, all / 2, scattered(seed) % all});
    std::vector<std::uint64_t> once;
    for (const std::uint64_t one : some)
        if (one < all && std::find(once.begin(), once.end(), one) == once.end()) once.push_back(one);
    return once;
}

bool isOfUnset(const KernelFinding& one) { return one.rule == "unset-memory"; }

bool decidesUnset(const KernelFinding& one) { return isOfUnset(one) && one.decides; }

class Sample {
public:
    Sample(const Recording& recording, const EmulatedRun::KernelOf& kernelOf, const GivenWord& given,
           const EmulatorSettings& settings, const SampleSeen& seen, std::uint64_t dispatches)
        : recording_(recording),
          given_(given),
          settings_(settings),
          seen_(seen),
          ahead_(dispatches),
          run_(recording, kernelOf, {}, true),
          scout_(recording, kernelOf, {}, true),
          pristine_(recording.buffers.size())
    {
        for (std::size_t i = 0; i < pristine_.size(); ++i)
            pristine_[i] = recording.buffers[i].role != RecordedBuffer::Role::made;
        settings_.watchedAlone = true;
        settings_.cores = 1;
    }

    void transfer(const RecordedTransfer& one)
    {
        pristine_[one.to] = false;
        for (EmulatedRun* each : {&run_, &scout_})
            if (one.bytes <= mostMoved && !(one.kind == RecordedTransfer::Kind::copy && wasGiven(one.from)))
                each->transfer(one);
            else
                each->forget(one.to);
    }

    // Returns whether to go on.
    bool dispatch(const RecordedDispatch& one, EmulatedStep& step)
    {
        const bool alone = !run_.mayTellEachOther(one);
        const std::uint64_t share = settings_.budget / std::max<std::uint64_t>(1, ahead_--);
        const std::uint64_t kept = settings_.budget - share;
        step.groups = one.groups;
        if (!one.indirect)
            for (const std::uint64_t group : groupsToWalk(one.groups, step.number, !known_.insert(one.pipeline).second))
                if (settings_.budget > kept && !walk(one, group, std::max(share, leastOfOne), alone, step))
                    return false;
        for (const Index written : run_.writtenBy(one)) {
            pristine_[written] = false;
            for (EmulatedRun* each : {&run_, &scout_}) each->forget(written);
        }
        return true;
    }

private:
    bool wasGiven(Index buffer) const { return recording_.buffers[buffer].role != RecordedBuffer::Role::made; }

    bool walk(const RecordedDispatch& one, std::uint64_t group, std::uint64_t share, bool alone, EmulatedStep& step)
    {
        EmulatorSettings now = settings_;
        now.watched = group;
        now.budget = std::min({mostOfOne, share, settings_.budget});
        fillIn(one, now);
        run_.dispatch(one, now, step);
        count(step);
        if (seen_.used && std::none_of(step.walk.findings.begin(), step.walk.findings.end(), decidesUnset))
            for (const EmulatedUse& use : step.walk.uses) seen_.used(step, run_.indexOf(*use.buffer), use);
        if (keep(step.walk, alone) && seen_.found) seen_.found(step);
        return step.problem.empty() && settings_.budget > 0 && marked_ < mostMarked;
    }

    // Gives this work-group those words of the run's data that it reads; a first walk finds out which.
    void fillIn(const RecordedDispatch& one, EmulatorSettings now)
    {
        if (std::none_of(one.sets.begin(), one.sets.end(), [&](const RecordedDispatch::Set& bound) {
                const auto& ranges = recording_.sets[bound.set].ranges;
                return std::any_of(ranges.begin(), ranges.end(),
                                   [&](const auto& range) { return pristine_[range.buffer]; });
            }))
            return;
        now.checks = false;
        EmulatedStep scouted;
        scout_.dispatch(one, now, scouted);
        count(scouted);
        for (const EmulatedUse& use : scouted.walk.uses) {
            const Index index = scout_.indexOf(*use.buffer);
            if (!pristine_[index]) continue;
            EmulatedBuffer& mine = run_.buffer(index);
            for (std::uint64_t at = 0; at < use.read.size(); ++at)
                for (std::uint64_t bits = use.read[at]; bits != 0; bits &= bits - 1) {
                    const std::uint64_t word = at * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
                    if (word >= mine.words().size() || mine.setMarks()[word] == EmulatedBuffer::allSet) continue;
                    mine.words()[word] = given_(recording_.buffers[index].role, word);
                    mine.setMarks()[word] = EmulatedBuffer::allSet;
                }
        }
    }

    void count(const EmulatedStep& step)
    {
        settings_.budget -= std::min(settings_.budget, step.walk.effort);
        for (const EmulatedUse& use : step.walk.uses) marked_ += (use.read.size() + use.written.size()) * 8;
    }

    // Removes findings that must not be kept; returns whether any are left.
    static bool keep(Emulated& walk, bool alone)
    {
        static const std::set<std::string_view> rules = {"out-of-bounds", "shared-race", "global-race",
                                                         "barrier-divergence"};
        // Findings are in the order in which they were found: those before the first use of something unknown are kept.
        walk.findings.erase(std::find_if(walk.findings.begin(), walk.findings.end(), isOfUnset), walk.findings.end());
        std::erase_if(walk.findings, [&](const KernelFinding& one) {
            return rules.count(one.rule) == 0 && !(alone && one.rule == "endless-loop");
        });
        walk.notes.clear();
        walk.overBudget = false;
        if (walk.findings.empty()) walk.endangers = false;
        return !walk.findings.empty();
    }

    const Recording& recording_;
    const GivenWord& given_;
    EmulatorSettings settings_;
    const SampleSeen& seen_;
    std::uint64_t ahead_;  // dispatches that are still to come
    EmulatedRun run_, scout_;
    std::vector<bool> pristine_;            // buffers that still have the run's data
    std::set<std::optional<Index>> known_;  // pipelines
    std::uint64_t marked_ = 0;
};

}  // namespace

void walkSample(const Recording& recording, const RecordedRun& run, const EmulatedRun::KernelOf& kernelOf,
                const GivenWord& given, EmulatorSettings settings, const SampleSeen& seen)
{
    std::uint64_t bytes = 0;
    for (const RecordedBuffer& one : recording.buffers) bytes += std::min(one.bytes, mostBytes);
    if (bytes > mostBytes) return;
    const auto all = std::count_if(run.commands.begin(), run.commands.end(), [](const RecordedCommand& one) {
        return std::holds_alternative<RecordedDispatch>(one);
    });
    Sample sample(recording, kernelOf, given, settings, seen, static_cast<std::uint64_t>(all));
    std::uint64_t dispatches = 0;
    for (std::uint64_t i = 0; i < run.commands.size(); ++i) {
        if (const auto* moved = std::get_if<RecordedTransfer>(&run.commands[i])) sample.transfer(*moved);
        const auto* one = std::get_if<RecordedDispatch>(&run.commands[i]);
        if (!one) continue;
        EmulatedStep step;
        step.dispatch = one;
        step.command = i;
        step.number = dispatches++;
        if (!sample.dispatch(*one, step)) return;
    }
}

}  // namespace a2
