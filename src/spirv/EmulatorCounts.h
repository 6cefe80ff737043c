// Counts what invocations do with data, and their accesses to memory, as PhaseCounts.h defines it.
#pragma once

#include "spirv/EmulatorCode.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace a2 {
struct Emulated;
}

namespace a2::emulator {

// The work of one invocation between two barriers.
struct InvocationWork {
    std::uint64_t additions = 0, atomicAdditions = 0, reads = 0, writes = 0;
    bool shared = false;  // used shared memory, not atomically
};

// The counts of one work-group. Accesses and branches of invocations of one subgroup (in shared memory: of the
// invocations that access it together) form one request if they are by the same instruction, and reach it for the same
// number of times since the last barrier.
class GroupCounts {
public:
    struct Setting {
        std::uint32_t subgroupSize = 32, banks = 32, conflictsTogether = 32;
    };
    void start(std::uint32_t invocations, std::size_t instructions, const Setting& setting);
    InvocationWork& of(std::uint32_t invocation) { return work_[invocation]; }
    void sharedAtomic(std::uint64_t cell) { ++atomics_[cell]; }
    // These return the request's number, as in TracedAccess.
    std::uint32_t sharedAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t word);
    std::uint32_t bufferAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t buffer, std::uint64_t byte,
                               std::uint64_t bytes);
    void branch(std::uint32_t invocation, std::uint32_t at, std::uint32_t way);
    // isWatched: counts bank conflicts, too.
    void endPhase(std::uint64_t phase, bool isWatched, Emulated& result);

private:
    struct Request {
        std::uint32_t number = 0;
        std::uint32_t way = none;  // the way of the first invocation that reached a branch
        bool parted = false;
        std::vector<std::uint64_t> places;  // sectors, or words of shared memory
    };
    struct Site {                          // an instruction
        std::vector<std::uint32_t> times;  // for each invocation: how often it has come here; empty: none has
        std::vector<Request> requests;     // by time, then by the invocations that access together
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
    // For this phase, as in Emulated.
    std::uint64_t requests_ = 0, sectors_ = 0, transactions_ = 0, branches_ = 0, parted_ = 0;
};

}  // namespace a2::emulator
