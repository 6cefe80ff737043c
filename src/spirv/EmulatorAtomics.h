// Atomic instructions.
#pragma once

#include "spirv/EmulatorDelays.h"
#include "spirv/EmulatorState.h"

namespace a2::emulator {

class MemoryNotes;
class Faults;
class Memory;
class Synchronisation;
class UnsetOrigins;

struct AtomicKind {
    bool reads = true, writes = true, changes = true;  // changes: the new value depends on the old one
    bool compares = false;
};
AtomicKind kindOf(std::uint16_t opcode);

// The new value that an atomic gives its word. equal: the old value equals the one to compare with, or it does not
// compare.
Cell changedBy(const Instruction& one, Cell old, Cell given, bool equal);
Cell valueOf(const AtomicWord& word, Mark& made);

class Atomics {
public:
    Atomics(WalkState& state, Faults& faults, UnsetOrigins& unset, MemoryNotes& notes, Synchronisation& synchronisation,
            Delays& delays, Memory& memory)
        : state_(state),
          faults_(faults),
          unset_(unset),
          notes_(notes),
          synchronisation_(synchronisation),
          delays_(delays),
          memory_(memory)
    {
    }

    void run(const Instruction& one, const Actor& actor);

private:
    WalkState& state_;
    Faults& faults_;
    UnsetOrigins& unset_;
    MemoryNotes& notes_;
    Synchronisation& synchronisation_;
    Delays& delays_;
    Memory& memory_;
};

}  // namespace a2::emulator
