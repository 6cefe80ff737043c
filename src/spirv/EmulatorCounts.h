// What invocations do with data, counted as KernelCounts defines it.
#pragma once

#include "spirv/EmulatorCode.h"
#include "spirv/KernelCounts.h"

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

// Of one work-group.
class GroupCounts {
public:
    void start(std::size_t invocations, std::size_t instructions, bool isWatched);
    InvocationWork& of(std::uint32_t invocation) { return work_[invocation]; }
    void sharedAtomic(std::uint64_t cell) { ++atomics_[cell]; }
    // One access to shared memory of the watched group, and to buffers or a branch of any: by the invocation's n-th
    // time that it comes to the instruction.
    void sharedAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t word);
    void bufferAccess(std::uint32_t invocation, std::uint32_t at, std::uint64_t buffer, std::uint64_t byte);
    void branch(std::uint32_t invocation, std::uint32_t at, std::uint32_t way);
    void endPhase(std::uint64_t phase, std::uint32_t banks, std::uint32_t together, Emulated& result);
    void end(std::uint32_t subgroupSize, Emulated& result);

private:
    std::uint32_t timeOf(std::uint32_t invocation, std::uint32_t at)
    {
        return times_[at * work_.size() + invocation]++;
    }

    struct Request {
        std::uint32_t at = 0, time = 0, invocation = 0;
        std::uint64_t where = 0;
    };
    std::vector<InvocationWork> work_;
    std::unordered_map<std::uint64_t, std::uint64_t> atomics_;
    std::vector<std::uint32_t> times_;
    std::vector<Request> sharedRequests_, bufferRequests_, branches_;
    bool isWatched_ = false;
};

}  // namespace a2::emulator
