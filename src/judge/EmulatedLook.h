// What no result shows: a recorded run's kernels, walked on the host (spirv/Emulator.h), and their result held against
// the reference.
#pragma once

#include "gpu/Device.h"
#include "lint/Finding.h"
#include "recording/Recording.h"
#include "tasks/Expectation.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct EmulatedLook {
    std::vector<Finding> findings;  // rules of the emulator, subgroup-size and group-order; notes on what is not known
    bool complete = false;          // every kernel was followed to its end
    // Where the first one that fails lies; line 0 where it is not known.
    std::string file;
    std::uint32_t line = 0;
};

// The name of a file under shaders/, wherever that was when the kernel was compiled: "include/A2LoadTile.glsl".
std::string underShaders(const std::string& file);

// The kernels of longer runs are not walked on the host.
constexpr std::uint64_t largestOnHost = 4200;  // elements

// With this device's subgroups, one work-group after the other. right: the run's result was right on the device.
EmulatedLook lookOnHost(Device& gpu, const Recording& recording, const RecordedRun& run, const Expectation& expectation,
                        bool right);

// With the smallest and the largest subgroups that there are, with work-groups from the last to the first, and with
// several of them at a time; up to the first fault. The run has passed on the device and in lookOnHost.
EmulatedLook lookOnOtherDevices(Device& gpu, const Recording& recording, const RecordedRun& run,
                                const Expectation& expectation);

}  // namespace a2
