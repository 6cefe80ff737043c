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

#include "spirv/EmulatorOrder.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

struct BufferState;
struct Group;

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

}  // namespace a2::emulator
