// What no result shows: a recorded run's kernels, walked on the host (spirv/Emulator.h), and their result held against
// the reference.
#pragma once

#include "gpu/Device.h"
#include "lint/Finding.h"
#include "recording/Recording.h"
#include "tasks/Expectation.h"

#include <cstdint>
#include <vector>

namespace a2 {

// How far one run is followed.
struct EmulatedLookSettings {
    std::uint64_t instructions = std::uint64_t{1} << 24;  // of all its kernels together
    // Besides the walk with this device's subgroups and work-groups in their order: with the smallest and the largest
    // subgroups that there are, with work-groups from the last to the first, and with several of them at a time.
    bool otherDevices = false;
};

struct EmulatedLook {
    std::vector<Finding> findings;  // rules of the emulator, subgroup-size and group-order; notes on what is not known
    std::uint64_t instructions = 0;
    // Where the first one that fails lies; line 0 where it is not known.
    std::string file;
    std::uint32_t line = 0;
};

// The recording has passed on the device: what is wrong here is so by luck there.
EmulatedLook lookOnHost(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation,
                        const EmulatedLookSettings& settings);

}  // namespace a2
