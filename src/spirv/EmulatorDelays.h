// Atomics whose effect comes at another time than their place in the program.
//
// A relaxed atomic orders nothing: an invocation's atomics on different words take effect in any order, unless a
// release or an acquire lies between them that is about such memory and reaches those who look. So an atomic may be
// late, or early, as EmulatorSettings::Pause::Way has it. What is tried here is less than the memory model allows:
// - An atomic whose result is used is not late: what comes of it cannot be there before it.
// - One that changes its word is not early; one that could is not earlier than the invocation's last release.
// - Barriers and memory barriers that reach a work-group or a subgroup alone order what its own invocations see.
#pragma once

#include "spirv/EmulatorOrder.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

struct BufferState;
struct Group;

// What an atomic is about.
struct AtomicWord {
    Group* home = nullptr;  // whose shared memory it is in; null: in a buffer
    BufferState* state = nullptr;
    std::uint64_t at = 0;  // cell of shared memory, or byte of the buffer
    std::uint32_t width = 32;

    std::uint64_t size() const { return home ? 1 : width / 8; }
};

struct LateAtomic {
    AtomicWord word;
    std::uint32_t thread = 0;               // 1 + the invocation's number in the dispatch
    std::uint32_t at = 0;                   // instruction
    bool lastFirst = false, reads = false;  // reads: makes the new value from the old one
    Cell given = 0, comparator = 0;
    Mark mark = 0;
    Message message;
    Reach released = Reach::invocation;  // who must see it before what comes after it
    Reach acquired = Reach::invocation;  // of whose releases it would have been told since by what it reads
};

// What a word held until it was changed.
struct FormerValue {
    std::uint64_t moment = 0;
    std::uint32_t thread = 0;  // who changed it
    Cell value = 0;
    Mark mark = 0;
};
using History = std::unordered_map<std::uint64_t, std::vector<FormerValue>>;  // by word

// What an invocation's barriers and memory barriers have done, by kind of memory: what bounds how late its atomics may
// be, and how old the values that it reads.
struct Ordered {
    std::array<Reach, keptKinds> reach{};  // its atomics hand on what it has released so far
    // Moments; where some atomic is early.
    std::array<std::uint64_t, keptKinds> acquired{}, near{}, released{};  // near: from its own work-group alone
    std::array<std::unordered_map<std::uint64_t, std::uint64_t>, keptKinds> used;  // its own atomics, by word
};

}  // namespace a2::emulator
