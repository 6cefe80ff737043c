// What atomics and flags in memory pass on from invocation to invocation (Vulkan 1.3, appendix "Memory Model": release
// sequences).
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>

namespace a2::emulator {

class Synchronisation {
public:
    explicit Synchronisation(WalkState& state);

    Messages& inBuffers() { return messages_; }  // for words of buffers
    // An invocation accesses this word, which may be a flag. replaces: it does not continue the release sequence before
    // it. later: gets what is published; others read it when the atomic takes effect.
    void pass(const Actor& actor, Kept kept, Messages& messages, std::uint64_t word, const AccessWays& ways,
              bool replaces, const Semantics& semantics, Message* later = nullptr);
    void publish(Messages& messages, std::uint64_t word, const Message& published, bool replaces) const;
    // Whether an operation of the invocation `thread` (1 + its number in the dispatch) with this reach includes the
    // other invocation.
    bool reaches(std::uint32_t thread, Reach reach, std::uint32_t other) const;

private:
    WalkState& state_;
    Messages messages_;
    GroupOrder anyOrder_;  // for what is the same in all work-groups
};

}  // namespace a2::emulator
