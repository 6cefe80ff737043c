// What invocations do with data, and what they ask of memory, as PhaseCounts.h defines it.
#pragma once

#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace a2 {
struct Emulated;
}

namespace a2::emulator {

// Of one invocation, between two barriers.
struct InvocationWork {
    std::uint64_t additions = 0, atomicAdditions = 0, reads = 0, writes = 0;
    bool shared = false;  // used shared memory, not atomically
};

// Of one work-group. An access or a branch is one of a request with those of the same subgroup (in shared memory: of
// the invocations that ask together) that are the same instruction's, and come to it as often since the last barrier.
class GroupCounts {
public:
    struct Setting {
        std::uint32_t subgroupSize = 32, banks = 32, conflictsTogether = 32;
    };
    void start(std::uint32_t invocations, std::size_t instructions, const Setting& setting);
    InvocationWork& of(std::uint32_t invocation) { return work_[invocation]; }
    void sharedAtomic(std::uint64_t cell) { ++atomics_[cell]; }
    // Give the request's number, as in TracedAccess.
    std::uint32_t sharedAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t word);
    std::uint32_t bufferAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t buffer, std::uint64_t byte,
                               std::uint64_t bytes);
    void branch(std::uint32_t invocation, std::uint32_t at, std::uint32_t way);
    // isWatched: its banks are looked at.
    void endPhase(std::uint64_t phase, bool isWatched, Emulated& result);

private:
    struct Request {
        std::uint32_t number = 0;
        std::uint32_t way = none;  // of the first that came to a branch
        bool parted = false;
        std::vector<std::uint64_t> places;  // sectors, or words of shared memory
    };
    struct Site {                          // an instruction
        std::vector<std::uint32_t> times;  // by invocation: how often it has come here; empty: nobody has
        std::vector<Request> requests;     // by time, then by those who ask together
        bool shared = false;
    };
    Request* requestOf(std::uint32_t invocation, std::uint32_t at, std::uint32_t together);
    void countBanks(std::uint64_t phase, Emulated& result);

    Setting setting_;
    std::uint32_t invocations_ = 0;
    std::vector<InvocationWork> work_;
    std::unordered_map<std::uint64_t, std::uint64_t> atomics_;
    std::vector<Site> sites_;           // by instruction
    std::vector<std::uint32_t> begun_;  // sites of this phase
    std::uint32_t numbered_ = 0;        // requests of this work-group
    std::size_t kept_ = 0;              // requests of this phase
    std::uint64_t lost_ = 0;
    // Of this phase, as in Emulated.
    std::uint64_t requests_ = 0, sectors_ = 0, transactions_ = 0, branches_ = 0, parted_ = 0;
};

}  // namespace a2::emulator
