// Where values that were never set come from.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <unordered_map>

namespace a2::emulator {

class UnsetOrigins {
public:
    explicit UnsetOrigins(WalkState& state) : state_(state) {}

    // The invocation has loaded such a value. variable: none: the one at this offset. offset: in bytes for a buffer and
    // push constants, else a cell.
    void loaded(const Actor& actor, Space space, std::uint32_t variable, std::uint64_t offset);
    // What it has loaded or stored is the value of an invocation that did not take part. absent: of this kind of
    // memory, by word.
    static void loaded(const Actor& actor, const std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                       std::uint64_t word);
    static void stored(const Actor& actor, std::unordered_map<std::uint64_t, UnsetOrigin>& absent, std::uint64_t word);
    std::unordered_map<std::uint64_t, UnsetOrigin>& absentInBuffers() { return absent_; }

    // Of the value that the invocation uses now.
    UnsetOrigin of(const Actor& actor) const;
    // It has stored such a value in a buffer. offset: in bytes.
    void noteStore(const Actor& actor, const Resource& resource, std::uint64_t offset);

private:
    WalkState& state_;
    std::unordered_map<std::uint64_t, UnsetOrigin> absent_;        // for words of buffers: UnsetOrigin::absent
    UnsetOrigin firstRead_;                                        // the first loaded word of a buffer that was not set
    std::unordered_map<std::uint32_t, std::size_t> unsetStoreOf_;  // by instruction: index into Emulated::unsetStores
};

}  // namespace a2::emulator
