// The Vulkan device that a solution is written for, as far as recording code needs it.
//
// A solution runs where there is no device: each of its Vulkan calls is recorded, and the harness replays the recording
// on the device. limits() are those of that device.
#pragma once

#include "a2/Folding.h"
#include "a2/Vulkan.h"

#include <cstdint>
#include <string>

namespace a2 {

class Recorder;  // records the calls

class Gpu {
public:
    explicit Gpu(Recorder& recorder) : recorder_(recorder) {}
    Gpu(const Gpu&) = delete;
    Gpu& operator=(const Gpu&) = delete;

    vk::Device device() const;
    const vk::PhysicalDeviceLimits& limits() const;

    // Whether kernels may use 64-bit integers and atomics on them in storage buffers.
    bool hasInt64Atomics() const;

    // The dispatch that starts `groups` work-groups. Kernels find their number with workGroupNumber().
    // Throws LimitError if the device cannot start so many in one dispatch.
    WorkGroups foldGroups(std::uint64_t groups) const;
    // The dispatch that starts at least `invocations` invocations in work-groups of `workGroup`.
    // Throws KernelError if that is 0.
    WorkGroups groupsFor(std::uint64_t invocations, std::uint32_t workGroup) const;

    Recorder& recorder() const { return recorder_; }  // for Buffer and ComputePipeline

private:
    Recorder& recorder_;
};

// Names the next dispatch, for reports, RenderDoc and the validation layers.
void labelDispatch(vk::CommandBuffer cb, const std::string& text);

}  // namespace a2
