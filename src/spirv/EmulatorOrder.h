// Which accesses of a dispatch happen before which others: the order that barriers, memory barriers and atomics make,
// after the memory model in Vulkan's specification. A release passes on which accesses are over, an acquire takes this
// knowledge, each for the storage classes of its semantics and as far as both scopes reach. A relaxed atomic does the
// same if there is a memory barrier before it, and one after the atomic that reads it.
//
// Under Vulkan's memory model a write to a buffer must also be made available and visible, by operations that each have
// a scope. The same messages pass this on: an invocation that knows that an access is over also knows how far it is
// available.
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

// Shared memory and buffers are ordered separately.
enum class Kept : std::uint8_t { shared, buffers };
constexpr std::size_t keptKinds = 2;
using KeptMask = std::uint8_t;
constexpr KeptMask allKept = 3;
constexpr KeptMask maskOf(Kept kept) { return static_cast<KeptMask>(1U << static_cast<unsigned>(kept)); }

// How far an operation reaches. A dispatch runs on one queue, so the queue family means the whole device.
enum class Reach : std::uint8_t { invocation, subgroup, group, device };
Reach reachOf(std::uint32_t scope);  // of a SPIR-V scope

// The effect of a barrier, a memory barrier or an atomic on memory.
struct Semantics {
    Reach reach = Reach::device;
    KeptMask releases = 0, acquires = 0;
    bool makesAvailable = false, makesVisible = false;  // for buffers
};
Semantics semanticsOf(std::uint32_t scope, std::uint32_t semantics);

// A use of a word: by which invocation, when, and by which instruction. thread: 1 + the invocation's number in the
// dispatch (for shared memory, in its work-group); 0: no use.
struct Use {
    std::uint32_t thread = 0, time = 0;
    std::uint32_t at : 23 = 0, bytes : 4 = 0, readsOnly : 1 = 0, atomic : 1 = 0;  // bytes: of the word, one bit each
    std::uint32_t reach : 2 = 0;      // of an atomic; or how far a use itself makes available or visible
    std::uint32_t isPrivate : 1 = 0;  // Vulkan's memory model: has no order with accesses of other invocations
};

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

// What is known to be over: all that the invocations of a work-group, of a subgroup, or a single one did before some
// time.
struct Known {
    struct Entry {
        std::uint64_t who = 0;  // for an invocation: its thread
        std::array<std::uint32_t, keptKinds> before{};
    };
    static constexpr std::uint64_t wholeGroup = std::uint64_t{1} << 32, wholeSubgroup = std::uint64_t{1} << 33;
    std::vector<Entry> entries;  // by who

    // With these added to `who`, an entry is about availability: the writes of `who` that made themselves available as
    // far as `from` (invocation: all that are not private) are available as far as `to`, around the writer. seen: they
    // were made visible, and are available as far as `to`, of this number, around the invocation that made them
    // visible; invocation: to that one only.
    static std::uint64_t available(Reach from, Reach to);
    static std::uint64_t seen(Reach from, Reach to, std::uint32_t number);
    // What such an entry says about availability; with all values 0, the entry says what is over.
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
using Knowledge = std::shared_ptr<const Known>;  // null: nothing
void join(Knowledge& to, const Knowledge& more, KeptMask mask = allKept);

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

// What two conflicting uses lack.
enum class Lack : std::uint8_t { nothing, order, notPrivate, availability, visibility };
struct Conflict {
    Use other;
    Lack lack = Lack::order;
    Reach scope = Reach::device;  // the smallest scope that includes both
};

// The order in one work-group. An invocation's time advances where it releases something, and where it reaches a
// barrier.
class GroupOrder {
public:
    // apart: check availability and visibility besides order.
    void start(std::uint64_t group, std::uint32_t invocations, std::uint32_t subgroupSize, std::uint32_t begin,
               bool apart);
    std::uint32_t end() const;  // a time after all of it

    std::uint32_t threadOf(std::uint32_t invocation) const { return first_ + invocation; }  // in the dispatch
    std::uint32_t time(std::uint32_t invocation) const { return times_[invocation]; }
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
    // What the earlier use, by another invocation, lacks to come before this one.
    Lack lack(const Use& earlier, const Use& use, std::uint32_t invocation, Kept kept) const
    {
        if (apart_) return lackApart(earlier, use, invocation, kept);
        return ordered(earlier, invocation, kept) ? Lack::nothing : Lack::order;
    }
    bool isApart() const { return apart_; }
    Reach nearest(const Use& use, std::uint32_t invocation, Kept kept) const;
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

    // For availability and visibility.
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
    std::array<std::uint32_t, keptKinds> least_{};  // all invocations know what all did before this time
    std::vector<std::array<std::uint32_t, keptKinds>> subgroupLeast_;  // the same for those of a subgroup
    std::vector<std::uint8_t> fencedBuffers_;
    std::vector<std::vector<Fence>> fences_;  // for each invocation
    std::vector<std::vector<Pending>> pending_;
    std::vector<Knowledge> learnt_;
    std::vector<Knowledge> seen_;  // what was made visible to each
    Knowledge groupKnown_;
    bool anyFence_ = false, anyLearnt_ = false, anyPending_ = false, apart_ = false;
};

// Notes a use; true: an earlier use by another invocation conflicts with it. fine: neighbouring invocations may be
// ordered in different ways, so that one use cannot stand for others.
bool noteUse(Shadow& shadow, MoreUses& more, std::uint64_t word, const Use& use, bool fine, const GroupOrder& order,
             std::uint32_t invocation, Kept kept, Conflict& conflict);

}  // namespace a2::emulator
