// Loads and stores, and the pointers they use.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>

namespace a2::emulator {

class MemoryNotes;
class Delays;
class Faults;
class Synchronisation;
class UnsetOrigins;

void followChain(const Code& code, const Instruction& one, Cell* cells, Mark* marks);

class Memory {
public:
    Memory(WalkState& state, Faults& faults, UnsetOrigins& unset, MemoryNotes& notes, Synchronisation& synchronisation,
           Delays& delays)
        : state_(state),
          faults_(faults),
          unset_(unset),
          notes_(notes),
          synchronisation_(synchronisation),
          delays_(delays)
    {
    }

    void load(const Instruction& one, const Actor& actor);
    void store(const Instruction& one, const Actor& actor);
    void arrayLength(const Instruction& one, const Actor& actor);

    // Whether an access through this pointer is allowed at all.
    bool usable(const Cell* pointer, const Actor& actor, std::uint32_t pointerCell, bool writes);
    // The descriptor to which a pointer leads, if the whole access is inside it; else null.
    Resource* resourceFor(const Cell* pointer, const Access& access, const Actor& actor, bool writes);

private:
    void loadBuffer(const Instruction& one, const Actor& actor, const Access& access);
    void storeBuffer(const Instruction& one, const Actor& actor, const Access& access);
    void loadShared(const Instruction& one, const Actor& actor, std::uint64_t from, std::uint32_t count);
    void storeShared(const Instruction& one, const Actor& actor, std::uint64_t to, std::uint32_t count);
    void loadPush(const Instruction& one, const Actor& actor, const Access& access);

    WalkState& state_;
    Faults& faults_;
    UnsetOrigins& unset_;
    MemoryNotes& notes_;
    Synchronisation& synchronisation_;
    Delays& delays_;
};

}  // namespace a2::emulator
