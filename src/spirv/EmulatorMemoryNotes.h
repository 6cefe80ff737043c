// What is noted of each access to shared memory and buffers: uses, races, counts, its part in a trace.
#pragma once

#include "spirv/EmulatorAliases.h"
#include "spirv/EmulatorState.h"

#include <cstdint>

namespace a2::emulator {

class MemoryNotes {
public:
    MemoryNotes(WalkState& state, Faults& faults) : state_(state), faults_(faults), aliases_(state, faults) {}

    void usedShared(const Actor& actor, std::uint64_t cell, const AccessWays& ways);
    // bytes: 1 to 8, from byte `byte` of the buffer on.
    void usedBuffer(const Actor& actor, Resource& resource, std::uint64_t byte, std::uint32_t bytes,
                    const AccessWays& ways);
    // bytes: of the word, one bit each.
    void usedWord(const Actor& actor, Resource& resource, std::uint64_t word, std::uint32_t bytes,
                  const AccessWays& ways);
    // Whether an invocation of this work-group has read this word as a flag.
    bool hasPolled(const Actor& actor, BufferState& state, std::uint64_t word) const;
    // An instruction asks for these bytes of a buffer.
    void requested(const Actor& actor, const BufferState& state, std::uint64_t byte, std::uint64_t bytes);

    // Only with a trace. from: where a stored value comes from. The result: where the accessed value comes from.
    Origin traceShared(const Actor& actor, std::uint64_t cell, const AccessWays& ways, Origin from);
    Origin traceBuffer(const Actor& actor, const Resource& resource, std::uint64_t word, const AccessWays& ways,
                       Origin from);

private:
    Use useOf(const Actor& actor, std::uint32_t thread, std::uint32_t bytes, const AccessWays& ways) const;
    bool isPrivate(std::uint32_t at) const;

    WalkState& state_;
    Faults& faults_;
    Aliases aliases_;
    std::uint32_t request_ = 0;  // number of the last request
};

}  // namespace a2::emulator
