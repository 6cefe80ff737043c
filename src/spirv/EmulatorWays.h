// The code between a branch and the point where its ways meet again.
#pragma once

#include "spirv/EmulatorFlows.h"

namespace a2::emulator {

struct Ways {
    std::vector<Range> written;            // cells of an invocation
    bool leaves = false;                   // it does not always reach that point, or does something unknown
    bool shared = false, buffers = false;  // whether it writes there
};

class WaysOfBranches {
public:
    explicit WaysOfBranches(const Code& code) : code_(code) {}

    // branch: the instruction.
    const Ways& of(std::uint32_t branch);

private:
    void writes(std::uint32_t at, Ways& ways);
    // A whole function, from which every path returns to the call.
    void called(std::uint32_t entry, Ways& ways);

    const Code& code_;
    std::map<std::uint32_t, Ways> known_;
    std::uint32_t begin_ = 0, end_ = 0;  // of the ways that are examined
    unsigned calls_ = 0;                 // number of calls around them
};

}  // namespace a2::emulator
