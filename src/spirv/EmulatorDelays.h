// Atomics that take effect at another time than their place in the program.
//
// A relaxed atomic orders nothing: an invocation's atomics on different words take effect in any order, unless there is
// a release or an acquire between them that concerns such memory and reaches the observers. So an atomic may be late,
// or early (EmulatorSettings::Pause::Way). What is tried here is less than the memory model allows:
// - An atomic whose result is used is not late: what follows from the result cannot come before it.
// - An atomic that changes its word is not early; one that could change it is not earlier than the invocation's last
//   release.
// - Barriers and memory barriers that only reach a work-group or a subgroup order what its own invocations see.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorOrder.h"

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

struct Actor;
struct BufferState;
struct Code;
struct Group;
struct Instruction;
struct WalkState;
class Synchronisation;

// The word that an atomic accesses.
struct AtomicWord {
    Group* home = nullptr;  // the work-group whose shared memory has it; null: it is in a buffer
    BufferState* state = nullptr;
    std::uint64_t at = 0;  // cell of shared memory, or byte of the buffer
    std::uint32_t width = 32;

    std::uint64_t size() const { return home ? 1 : width / 8; }
};

struct LateAtomic {
    AtomicWord word;
    std::uint32_t thread = 0;               // 1 + the invocation's number in the dispatch
    std::uint32_t at = 0;                   // instruction
    bool lastFirst = false, reads = false;  // reads: the new value depends on the old one
    Cell given = 0, comparator = 0;
    Mark mark = 0;
    Message message;
    Reach released = Reach::invocation;  // how far it must be seen before what comes after it
    Reach acquired = Reach::invocation;  // how far the invocation's acquires since then reach
};

// An earlier value of a word, until it was changed.
struct FormerValue {
    std::uint64_t moment = 0;
    std::uint32_t thread = 0;  // the one that changed it
    bool added = false;        // by an addition whose result nobody uses
    Cell value = 0;
    Mark mark = 0;
};
struct Recalled {
    Cell value = 0;
    Mark mark = 0;
    bool onlyAdded = true;  // what has changed it since are such additions
};
using History = std::unordered_map<std::uint64_t, std::vector<FormerValue>>;  // by word

// The effects of an invocation's barriers and memory barriers, by kind of memory. They limit how late its atomics may
// be, and how old the values that it reads.
struct Ordered {
    std::array<Reach, keptKinds> reach{};  // how far its atomics pass on what it has released so far
    // Moments; only if some atomic is early.
    std::array<std::uint64_t, keptKinds> acquired{}, near{}, released{};           // near: only from its own work-group
    std::array<std::unordered_map<std::uint64_t, std::uint64_t>, keptKinds> used;  // its own atomics, by word
};

// See EmulatorSettings::Pause::Way.
bool mayBeLate(const Code& code, const Instruction& one);

class Delays {
public:
    Delays(WalkState& state, Synchronisation& synchronisation) : state_(state), synchronisation_(synchronisation) {}

    // How this atomic of a work-group is late or early; null: it is not.
    const EmulatorSettings::Pause* of(const Group& group, const Instruction& one) const;

    bool anyLate() const { return !late_.empty(); }
    void add(LateAtomic late);
    void forget(const Group& group);  // the work-group has ended: its shared memory does not matter any more
    // Before an access to these cells or bytes: settles the late atomics that must have taken effect by now. handsOn:
    // for a write, how far it passes on.
    void settleFor(const Actor& actor, const Group* home, const BufferState* state, std::uint64_t from,
                   std::uint64_t count, Reach handsOn);
    // All others have ended or wait: settles one. False: there is none.
    bool settleFirst();
    // How far an atomic or a flag of this invocation, in this kind of memory, passes on what the invocation has done.
    Reach handedOn(const Actor& actor, Kept kept, const Semantics& semantics) const;

    // What the invocation has done so far, and what others have passed on to it, must be seen as far as this operation
    // reaches.
    void release(const Group& group, std::uint32_t invocation, const Semantics& semantics);
    void acquire(Group& group, std::uint32_t invocation, const Semantics& semantics);
    void fence(Group& group, std::uint32_t invocation, const Semantics& semantics);
    // A barrier passes on what memory barriers before it have ordered, whatever its own semantics are: this is GLSL's
    // contract.
    void meet(Group& group, const std::vector<std::uint32_t>& members, const Semantics& semantics);

    // Call it before a word of a buffer (four bytes), or a cell of shared memory, is changed.
    void remember(Group* home, const BufferState* state, std::uint64_t word, std::uint32_t thread, bool adds = false);
    void change(const AtomicWord& word, Cell value, Mark made, std::uint32_t thread, bool adds = false);
    // The oldest value that this invocation may read; `writes`: it also writes it back. Empty: the present value.
    std::optional<Recalled> recalled(const Actor& actor, const AtomicWord& word, bool writes) const;
    void noteUsed(const Actor& actor, const AtomicWord& word);

private:
    void settle(std::size_t place);

    WalkState& state_;
    Synchronisation& synchronisation_;
    std::vector<LateAtomic> late_;  // in the order in which they were delayed
    History history_;               // for words of buffers
    std::uint64_t moment_ = 0;
};

}  // namespace a2::emulator
