// What the invocations of a work-group know of each other.
#pragma once

#include "spirv/EmulatorCode.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
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
inline Reach further(Reach reach) { return static_cast<Reach>(static_cast<unsigned>(reach) + 1); }

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

// What each invocation of a work-group knows to be over. An invocation's time advances where it releases something, and
// where it reaches a barrier.
struct GroupKnowledge {
    void start(std::uint64_t number, std::uint32_t groupSize, std::uint32_t ofSubgroup, std::uint32_t begin);
    std::uint32_t end() const;  // a time after all of it

    std::uint32_t threadOf(std::uint32_t invocation) const { return first + invocation; }  // in the dispatch
    std::uint32_t threadOf(const Use& use, Kept kept) const
    {
        return kept == Kept::shared ? first + use.thread - 1 : use.thread;
    }
    // Both numbered among all of the dispatch; numberOf: the subgroup or work-group.
    std::uint64_t subgroupName(std::uint32_t thread) const;
    std::uint32_t numberOf(std::uint32_t thread, Reach reach) const;
    bool sameDomain(std::uint32_t thread, std::uint32_t other, Reach reach) const;
    // The smallest scope that two invocations share; or one with all those that an entry concerns.
    Reach nearest(std::uint32_t thread, std::uint32_t other) const;
    Reach nearestOf(std::uint64_t who, std::uint32_t thread) const;

    // Before which time what another invocation did is over for this one.
    std::uint32_t before(std::uint32_t invocation, std::uint32_t thread, Kept kept, std::uint64_t about = 0) const;
    std::uint32_t before(const Known* known, std::uint32_t thread, Kept kept, std::uint64_t about) const;
    // Whether a use by another invocation is over before what this invocation does now.
    bool ordered(const Use& use, std::uint32_t invocation, Kept kept) const
    {
        const std::size_t k = static_cast<std::size_t>(kept);
        const std::uint32_t other = use.thread - (kept == Kept::shared ? 1 : first);
        if (other < invocations) {
            if (use.time < least[k]) return true;
            if (other / subgroupSize == invocation / subgroupSize && use.time < subgroupLeast[other / subgroupSize][k])
                return true;
            return anyLearnt && use.time < before(invocation, first + other, kept);
        }
        return anyLearnt && use.time < before(invocation, use.thread, kept);
    }
    void learns(std::uint32_t invocation, const Knowledge& more, KeptMask mask = allKept)
    {
        join(learnt[invocation], more, mask);
        anyLearnt = true;
    }

    std::uint64_t group = 0;
    std::uint32_t first = 1, invocations = 1, subgroupSize = 1;
    std::vector<std::uint32_t> times;
    std::array<std::uint32_t, keptKinds> least{};  // all invocations know what all did before this time
    std::vector<std::array<std::uint32_t, keptKinds>> subgroupLeast;  // the same for those of a subgroup
    std::vector<Knowledge> learnt;                                    // by each, besides
    Knowledge byAll;                                                  // by all of them
    bool anyLearnt = false;
};

}  // namespace a2::emulator
