// What happens before what: the order that barriers, memory barriers and atomics make among the accesses of a dispatch.
#pragma once

#include "spirv/EmulatorCode.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <vector>

namespace a2::emulator {

// Shared memory and buffers are ordered each on their own.
enum class Kept : std::uint8_t { shared, buffers };
constexpr std::size_t keptKinds = 2;

// Which of them the semantics of a barrier or an atomic are about.
std::array<bool, keptKinds> keptBy(std::uint32_t semantics);
bool releases(std::uint32_t semantics);
bool acquires(std::uint32_t semantics);

// Who used a word, when, and by which instruction. thread: 1 + the invocation's number in the dispatch (of shared
// memory, in its work-group); 0: nobody did.
struct Use {
    std::uint32_t thread = 0, time = 0;
    std::uint32_t at : 27 = 0, bytes : 4 = 0, readsOnly : 1 = 0;  // bytes: of the word, one bit each
};

// Two of those that read it and of those that used it atomically suffice: what is forgotten is found by the others,
// unless all three are ordered in unlike ways.
struct Shadow {
    Use write;
    std::array<Use, 2> reads, atomics;
};

// What somebody knows to be over: all that a work-group's invocations, or one invocation, did before some time.
struct Known {
    struct Entry {
        std::uint64_t who = 0;  // of an invocation: its thread; of a work-group: wholeGroup + its number
        std::array<std::uint32_t, keptKinds> before{};
    };
    static constexpr std::uint64_t wholeGroup = std::uint64_t{1} << 40;
    std::vector<Entry> entries;  // by who

    bool empty() const { return entries.empty(); }
    std::uint32_t before(std::uint64_t who, Kept kept) const;
    void add(const Entry& entry);
    void join(const Known& other);
};

// Of one work-group. Its time goes on at barriers, and that of each invocation at its memory barriers.
class GroupOrder {
public:
    void start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin);
    std::uint32_t end() const;  // a time after all of it

    std::uint32_t threadOf(std::uint32_t invocation) const { return first_ + invocation; }  // in the dispatch
    std::uint32_t time(std::uint32_t invocation) const { return times_[invocation]; }
    void wrote(std::uint32_t invocation, Kept kept) { of(kept).dirty[invocation] = 1; }

    // All invocations that come: of the work-group, or (participants) of a subgroup.
    void groupBarrier(std::uint32_t semantics);
    void subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants, std::uint32_t semantics);
    void fence(std::uint32_t invocation, std::uint32_t semantics);
    // Whether the invocation has a memory barrier behind all that it has written to buffers.
    bool fenced(std::uint32_t invocation) const;

    // What an atomic of this invocation tells who reads what it has written; empty: nothing.
    Known published(std::uint32_t invocation, std::uint32_t semantics) const;
    void learn(std::uint32_t invocation, const Known& known);
    bool isSilent() const { return !anyFence_; }

    // Whether the use, of another invocation, is over before what this one does now.
    bool ordered(const Use& use, bool writes, std::uint32_t invocation, Kept kept) const
    {
        const std::uint32_t base = kept == Kept::shared ? 1 : first_;
        const std::uint32_t other = use.thread - base;
        if (other < invocations_) {
            if (use.time < (writes ? of(kept).covered[other] : phaseBegin_)) return true;
            if (other / subgroupSize_ == invocation / subgroupSize_ && orderedInSubgroup(use, other, invocation))
                return true;
            if (!anyLearnt_) return false;
            return use.time < known(invocation, first_ + other, kept);
        }
        if (!anyLearnt_) return false;
        const std::uint64_t group = Known::wholeGroup + (use.thread - 1) / invocations_;
        return use.time < std::max(known(invocation, group, kept), known(invocation, use.thread, kept));
    }

private:
    struct Space {
        std::vector<std::uint32_t> covered;  // writes before it are over for the whole group
        std::vector<std::uint32_t> fenced;   // time of the last memory barrier; 0: none
        std::vector<std::uint8_t> dirty;     // written since then
        std::uint32_t least = 0;             // of `covered`
    };
    struct Event {
        std::uint32_t time = 0;
        std::bitset<128> participants;
    };
    Space& of(Kept kept) { return spaces_[static_cast<std::size_t>(kept)]; }
    const Space& of(Kept kept) const { return spaces_[static_cast<std::size_t>(kept)]; }
    bool orderedInSubgroup(const Use& use, std::uint32_t other, std::uint32_t invocation) const;
    std::uint32_t known(std::uint32_t invocation, std::uint64_t who, Kept kept) const;

    std::uint64_t group_ = 0;
    std::uint32_t first_ = 1, invocations_ = 1, subgroupSize_ = 1, phaseBegin_ = 1;
    std::vector<std::uint32_t> times_;
    std::array<Space, keptKinds> spaces_;
    std::vector<std::vector<Event>> events_;  // of each subgroup, since the last barrier of the group
    std::vector<Known> learnt_;               // of each invocation, since then
    Known groupKnown_;
    bool anyFence_ = false, anyLearnt_ = false;
};

// Notes a use, and gives an earlier one by somebody else that nothing orders; null: there is none.
const Use* noteUse(Shadow& shadow, const Use& use, bool reads, bool writes, bool atomic, const GroupOrder& order,
                   std::uint32_t invocation, Kept kept, Use& conflict);

}  // namespace a2::emulator
