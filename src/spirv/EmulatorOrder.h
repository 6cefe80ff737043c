// What happens before what: the order that barriers, memory barriers and atomics make among the accesses of a dispatch,
// after the memory model in Vulkan's specification. A release hands on what is over, an acquire takes it, each for the
// storage classes of its semantics and as far as both scopes reach; a relaxed atomic does so between a memory barrier
// before it and one after the atomic that reads it.
//
// Under Vulkan's memory model what is written to a buffer must be available and visible besides, each of which is an
// operation of its own with a scope. It is told by the same messages: who knows what is over knows how far it is
// available, too.
#pragma once

#include "spirv/EmulatorCode.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

// Shared memory and buffers are ordered each on their own.
enum class Kept : std::uint8_t { shared, buffers };
constexpr std::size_t keptKinds = 2;
using KeptMask = std::uint8_t;
constexpr KeptMask allKept = 3;
constexpr KeptMask maskOf(Kept kept) { return static_cast<KeptMask>(1U << static_cast<unsigned>(kept)); }

// How far an operation reaches. A dispatch is on one queue, so that its family is all of the device.
enum class Reach : std::uint8_t { invocation, subgroup, group, device };
Reach reachOf(std::uint32_t scope);  // of SPIR-V

// What a barrier, a memory barrier or an atomic does about memory.
struct Semantics {
    Reach reach = Reach::device;
    KeptMask releases = 0, acquires = 0;
    bool makesAvailable = false, makesVisible = false;  // buffers
};
Semantics semanticsOf(std::uint32_t scope, std::uint32_t semantics);

// Who used a word, when, and by which instruction. thread: 1 + the invocation's number in the dispatch (of shared
// memory, in its work-group); 0: nobody did.
struct Use {
    std::uint32_t thread = 0, time = 0;
    std::uint32_t at : 23 = 0, bytes : 4 = 0, readsOnly : 1 = 0, atomic : 1 = 0;  // bytes: of the word, one bit each
    std::uint32_t reach : 2 = 0;      // of an atomic; how far a use itself makes available or visible
    std::uint32_t isPrivate : 1 = 0;  // Vulkan's memory model: nothing orders it with what other invocations do
};

// The last ones of a word. Where some are ordered by more than barriers of a work-group, the others are in MoreUses.
struct Shadow {
    Use write;
    std::array<Use, 2> reads, atomics;
};
using MoreUses = std::unordered_map<std::uint64_t, std::vector<Use>>;  // by word

// What somebody knows to be over: all that a work-group's invocations, a subgroup's, or one did before some time.
struct Known {
    struct Entry {
        std::uint64_t who = 0;  // of an invocation: its thread
        std::array<std::uint32_t, keptKinds> before{};
    };
    static constexpr std::uint64_t wholeGroup = std::uint64_t{1} << 32, wholeSubgroup = std::uint64_t{1} << 33;
    std::vector<Entry> entries;  // by who

    // Added to `who`, an entry is about availability: who's writes that have made themselves available as far as `from`
    // (invocation: all that are not private) are available as far as `to`, round who wrote them. Seen: they were made
    // visible, and are available round who did that, as far as `to`, of this number; invocation: to itself.
    static std::uint64_t available(Reach from, Reach to);
    static std::uint64_t seen(Reach from, Reach to, std::uint32_t number);
    // Where it says how far they are available; all 0: what is over.
    struct About {
        std::uint64_t who = 0;
        Reach from = Reach::invocation, to = Reach::invocation;
        bool seen = false;
        std::uint32_t number = 0;
    };
    static About about(std::uint64_t who);

    std::uint32_t before(std::uint64_t who, Kept kept) const;
    void join(const Known& other, KeptMask mask = allKept);
};
using Knowledge = std::shared_ptr<const Known>;  // null: none
void join(Knowledge& to, const Knowledge& more, KeptMask mask = allKept);

// What a release hands on. thread: one of those that it was made by, in the dispatch.
struct Release {
    Reach reach = Reach::device;
    KeptMask mask = 0;
    std::uint32_t thread = 0;
    Knowledge known;
};
// What those that read an atomic may learn from it.
using Message = std::vector<Release>;
using Messages = std::unordered_map<std::uint64_t, Message>;  // by word

// What two uses lack that conflict.
enum class Lack : std::uint8_t { nothing, order, notPrivate, availability, visibility };
struct Conflict {
    Use other;
    Lack lack = Lack::order;
    Reach scope = Reach::device;  // the least that has both
};

// Of one work-group. The time of each invocation goes on where it releases something, and where it comes to a barrier.
class GroupOrder {
public:
    // apart: availability and visibility are looked at besides order.
    void start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin,
               bool apart);
    std::uint32_t end() const;  // a time after all of it

    std::uint32_t threadOf(std::uint32_t invocation) const { return first_ + invocation; }  // in the dispatch
    std::uint32_t time(std::uint32_t invocation) const { return times_[invocation]; }
    void wroteBuffer(std::uint32_t invocation) { fencedBuffers_[invocation] = 0; }

    // All invocations that come: of the work-group, or (participants) of a subgroup.
    void groupBarrier(const Semantics& semantics);
    void subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants,
                         const Semantics& semantics);
    void fence(std::uint32_t invocation, const Semantics& semantics);
    // Whether the invocation has a memory barrier after all that it has written to buffers.
    bool fenced(std::uint32_t invocation) const { return fencedBuffers_[invocation] != 0; }

    // What an atomic of this invocation, in memory of this kind, hands on; and takes.
    Message published(std::uint32_t invocation, Kept kept, const Semantics& semantics);
    void read(std::uint32_t invocation, Kept kept, const Message& message, const Semantics& semantics);
    void add(Message& to, const Message& more) const;

    // Whether the use, of another invocation, is over before what this one does now.
    bool ordered(const Use& use, std::uint32_t invocation, Kept kept) const
    {
        const std::size_t k = static_cast<std::size_t>(kept);
        const std::uint32_t other = use.thread - (kept == Kept::shared ? 1 : first_);
        if (other < invocations_) {
            if (use.time < least_[k]) return true;
            if (other / subgroupSize_ == invocation / subgroupSize_ &&
                use.time < subgroupLeast_[other / subgroupSize_][k])
                return true;
            return anyLearnt_ && use.time < known(invocation, first_ + other, kept);
        }
        return anyLearnt_ && use.time < known(invocation, use.thread, kept);
    }
    // What the earlier use, of another invocation, lacks to come before this one.
    Lack lack(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const
    {
        if (apart_) return lackApart(earlier, use, invocation, kept);
        return ordered(earlier, invocation, kept) ? Lack::nothing : Lack::order;
    }
    bool isApart() const { return apart_; }
    Reach nearest(const Use& use, std::uint32_t invocation, Kept kept) const;
    // Whether both reach each other's invocations.
    bool inScope(const Use& use, std::uint32_t invocation, Kept kept, Reach reach) const;

private:
    // What an invocation has released by a memory barrier, for the atomics and execution barriers after it.
    struct Fence {
        Reach reach = Reach::device;
        KeptMask mask = 0;
        std::uint32_t time = 0;
        std::array<std::uint32_t, keptKinds> least{}, subgroupLeast{};
        Knowledge learnt, groupKnown, whole;  // whole: made when it is asked for
    };
    // What it has read by an atomic, or was told at a barrier that only waits, and no acquire has taken yet.
    struct Pending {
        KeptMask by = allKept;  // the memory of which an acquire must be about
        Release release;
    };
    Fence fenceNow(std::uint32_t invocation, Reach reach, KeptMask mask) const;
    const Knowledge& wholeOf(Fence& fence, std::uint32_t invocation) const;
    std::uint64_t subgroupName(std::uint32_t thread) const;
    bool sameDomain(std::uint32_t thread, std::uint32_t other, Reach reach) const;
    void take(std::uint32_t invocation, const Release& release, Reach reach, KeptMask mask);
    void wait(std::uint32_t invocation, KeptMask by, const Release& release);
    void acquire(std::uint32_t invocation, Reach reach, KeptMask mask);
    void hold(std::uint32_t invocation, Reach reach, KeptMask mask);
    void meet(std::uint32_t first, const std::vector<std::uint32_t>& members, const Semantics& semantics,
              KeptMask whole, Reach reach);
    std::uint32_t known(std::uint32_t invocation, std::uint32_t thread, Kept kept, std::uint64_t about = 0) const;
    std::uint32_t before(const Known* known, std::uint32_t thread, Kept kept, std::uint64_t about) const;

    // Of availability and visibility.
    using Writes = std::vector<std::pair<Known::About, std::uint32_t>>;
    Lack lackApart(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const;
    Reach nearest(std::uint32_t thread, std::uint32_t other) const;
    Reach nearestOf(std::uint64_t who, std::uint32_t thread) const;
    std::uint32_t numberOf(std::uint32_t thread, Reach reach) const;
    Writes writesKnown(std::uint32_t invocation, KeptMask by) const;
    void makeAvailable(std::uint32_t invocation, Reach reach, KeptMask by, std::uint64_t own);
    void makeVisible(std::uint32_t invocation, Reach reach, KeptMask by);

    std::uint64_t group_ = 0;
    std::uint32_t first_ = 1, invocations_ = 1, subgroupSize_ = 1;
    std::vector<std::uint32_t> times_;
    std::array<std::uint32_t, keptKinds> least_{};                     // all know what all did before it
    std::vector<std::array<std::uint32_t, keptKinds>> subgroupLeast_;  // and those of a subgroup
    std::vector<std::uint8_t> fencedBuffers_;
    std::vector<std::vector<Fence>> fences_;  // of each invocation
    std::vector<std::vector<Pending>> pending_;
    std::vector<Knowledge> learnt_;
    std::vector<Knowledge> seen_;  // what was made visible to each
    Knowledge groupKnown_;
    bool anyFence_ = false, anyLearnt_ = false, anyPending_ = false, apart_ = false;
};

// Notes a use; true: an earlier one by somebody else conflicts with it. fine: what one invocation does may be ordered
// otherwise than what its neighbour does, so that no use stands for others.
bool noteUse(Shadow& shadow, MoreUses& more, std::uint64_t word, const Use& use, bool fine, const GroupOrder& order,
             std::uint32_t invocation, Kept kept, Conflict& conflict);

}  // namespace a2::emulator
