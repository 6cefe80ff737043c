// What lies between a branch and where its ways meet again.
#pragma once

#include "spirv/EmulatorFlows.h"

namespace a2::emulator {

struct Ways {
    std::vector<Range> written;            // cells of an invocation
    bool leaves = false;                   // it does not always come there, or does what is not known
    bool shared = false, buffers = false;  // it writes there
};

class WaysOfBranches {
public:
    explicit WaysOfBranches(const Code& code) : code_(code) {}

    // branch: the instruction.
    const Ways& of(std::uint32_t branch);

private:
    void writes(std::uint32_t at, Ways& ways);
    // All of a function, from which everybody comes back to where it was called.
    void called(std::uint32_t entry, Ways& ways);

    const Code& code_;
    std::map<std::uint32_t, Ways> known_;
    std::uint32_t begin_ = 0, end_ = 0;  // of the ways that are looked at
    unsigned calls_ = 0;                 // that these lie in
};

}  // namespace a2::emulator
