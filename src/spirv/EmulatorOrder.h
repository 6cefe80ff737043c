// Which accesses of a dispatch happen before which others: the order that barriers, memory barriers and atomics make,
// after the memory model in Vulkan's specification. A release passes on which accesses are over, an acquire takes this
// knowledge, each for the storage classes of its semantics and as far as both scopes reach. A relaxed atomic does the
// same if there is a memory barrier before it, and one after the atomic that reads it.
//
// Under Vulkan's memory model a write to a buffer must also be made available and visible, by operations that each have
// a scope. The same messages pass this on: an invocation that knows that an access is over also knows how far it is
// available.
#pragma once

#include "spirv/EmulatorOrderAvailability.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

// The last uses of a word. If more than work-group barriers order the invocations, MoreUses has the other uses.
struct Shadow {
    Use write;
    std::array<Use, 2> reads, atomics;
};
// Those of a buffer's words. Only the ones that are used take memory.
class Shadows {
public:
    Shadows() = default;
    explicit Shadows(std::size_t words) : blocks_(words / blockWords + 1) {}
    bool empty() const { return blocks_.empty(); }
    Shadow& operator[](std::uint64_t word)
    {
        std::unique_ptr<Shadow[]>& block = blocks_[word / blockWords];
        if (!block) block = std::make_unique<Shadow[]>(blockWords);
        return block[word % blockWords];
    }

private:
    static constexpr std::size_t blockWords = 256;
    std::vector<std::unique_ptr<Shadow[]>> blocks_;
};
// For each invocation the last use of its kind; invocations mostly come in their order.
class OtherUses {
public:
    void keep(const Use& use);
    const std::vector<Use>& all() const { return uses_; }
    bool onlyRead() const { return onlyRead_; }

private:
    std::vector<Use> uses_;  // by invocation
    bool onlyRead_ = true;
};
using MoreUses = std::unordered_map<std::uint64_t, OtherUses>;  // by word

// What a release passes on. thread: one of the invocations that made it, numbered in the dispatch.
struct Release {
    Reach reach = Reach::device;
    KeptMask mask = 0;
    std::uint32_t thread = 0;
    Knowledge known;
};
// What an invocation that reads an atomic may learn from it.
using Message = std::vector<Release>;
using Messages = std::unordered_map<std::uint64_t, Message>;  // by word

// Two uses that conflict, and what they lack.
struct Conflict {
    Use other;
    Lack lack = Lack::order;
    Reach scope = Reach::device;  // the smallest scope that includes both
};

// The order in one work-group.
class GroupOrder {
public:
    GroupOrder() = default;
    GroupOrder(const GroupOrder&) = delete;
    GroupOrder& operator=(const GroupOrder&) = delete;

    // apart: check availability and visibility besides order.
    void start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin,
               bool apart);
    std::uint32_t end() const { return known_.end(); }  // a time after all of it

    std::uint32_t threadOf(std::uint32_t invocation) const { return known_.threadOf(invocation); }  // in the dispatch
    std::uint32_t time(std::uint32_t invocation) const { return known_.times[invocation]; }
    void wroteBuffer(std::uint32_t invocation) { fencedBuffers_[invocation] = 0; }

    // Barriers that all these invocations reach: those of the work-group, or `participants` of a subgroup.
    void groupBarrier(const Semantics& semantics);
    void subgroupBarrier(std::uint32_t firstInvocation, const std::bitset<128>& participants,
                         const Semantics& semantics);
    void fence(std::uint32_t invocation, const Semantics& semantics);
    // Whether the invocation has had a memory barrier after its last write to a buffer.
    bool fenced(std::uint32_t invocation) const { return fencedBuffers_[invocation] != 0; }

    // What an atomic of this invocation, in this kind of memory, passes on; and what it takes.
    Message published(std::uint32_t invocation, Kept kept, const Semantics& semantics);
    void read(std::uint32_t invocation, Kept kept, const Message& message, const Semantics& semantics);
    void add(Message& to, const Message& more) const;

    // Whether a use by another invocation is over before what this invocation does now.
    bool ordered(const Use& use, std::uint32_t invocation, Kept kept) const
    {
        return known_.ordered(use, invocation, kept);
    }
    // What the earlier use, by another invocation, lacks to come before this one.
    Lack lack(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const
    {
        if (apart_) return availability_.lack(earlier, use, invocation, kept);
        return ordered(earlier, invocation, kept) ? Lack::nothing : Lack::order;
    }
    bool isApart() const { return apart_; }
    Reach nearest(const Use& use, std::uint32_t invocation, Kept kept) const
    {
        return known_.nearest(known_.threadOf(use, kept), threadOf(invocation));
    }
    // Whether each of both reaches the invocation of the other.
    bool inScope(const Use& use, std::uint32_t invocation, Kept kept, Reach reach) const;

private:
    // What an invocation has released by a memory barrier, for later atomics and execution barriers.
    struct Fence {
        Reach reach = Reach::device;
        KeptMask mask = 0;
        std::uint32_t time = 0;
        std::array<std::uint32_t, keptKinds> least{}, subgroupLeast{};
        Knowledge learnt, groupKnown, whole;  // whole: made when needed
    };
    // What an invocation has read by an atomic, or got at a barrier that only waits, and has not yet acquired.
    struct Pending {
        KeptMask by = allKept;  // the kinds of memory one of which an acquire must name
        Release release;
    };
    Fence fenceNow(std::uint32_t invocation, Reach reach, KeptMask mask) const;
    const Knowledge& wholeOf(Fence& fence, std::uint32_t invocation) const;
    void take(std::uint32_t invocation, const Release& release, Reach reach, KeptMask mask);
    void wait(std::uint32_t invocation, KeptMask by, const Release& release);
    void acquire(std::uint32_t invocation, Reach reach, KeptMask mask);
    void hold(std::uint32_t invocation, Reach reach, KeptMask mask);
    void meet(std::uint32_t first, const std::vector<std::uint32_t>& members, const Semantics& semantics,
              KeptMask whole, Reach reach);

    GroupKnowledge known_;
    Availability availability_{known_};
    std::vector<std::uint8_t> fencedBuffers_;
    std::vector<std::vector<Fence>> fences_;  // for each invocation
    std::vector<std::vector<Pending>> pending_;
    bool anyFence_ = false, anyPending_ = false, apart_ = false;
};

// Notes a use; true: an earlier use by another invocation conflicts with it. fine: neighbouring invocations may be
// ordered in different ways, so that one use cannot stand for others.
bool noteUse(Shadow& shadow, MoreUses& more, std::uint64_t word, const Use& use, bool fine, const GroupOrder& order,
             std::uint32_t invocation, Kept kept, Conflict& conflict);

}  // namespace a2::emulator
