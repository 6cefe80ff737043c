// The Vulkan device a solution runs on.
#pragma once

#include "a2/Vulkan.h"

#include <cstdint>
#include <memory>
#include <string>

namespace a2 {

class GpuState;  // src/gpu/GpuState.h: what only the harness needs

// Work-groups along x and y; as many as needed, or up to y - 1 more where the device's limit along x makes it fold.
struct WorkGroups {
    std::uint32_t x = 0;
    std::uint32_t y = 1;
};

class Gpu {
public:
    explicit Gpu(std::unique_ptr<GpuState> state);
    ~Gpu();
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

    GpuState& state() const { return *state_; }

private:
    std::unique_ptr<GpuState> state_;
};

// foldGroups for any limits, so that it can be tested without a device. maxX and maxY in work-groups.
WorkGroups foldGroups(std::uint64_t groups, std::uint32_t maxX, std::uint32_t maxY);

// Names the next dispatch for RenderDoc, the validation layers and traces. Costs nothing where nobody listens.
void labelDispatch(vk::CommandBuffer cb, const std::string& text);

}  // namespace a2
