// Which physical device a2 uses, and why not the others.
#pragma once

#include "gpu/Instance.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct DeviceCandidate {
    std::uint32_t index = 0;  // the number the user gives to --device
    std::string name;
    vk::PhysicalDeviceType type = vk::PhysicalDeviceType::eOther;
    std::uint32_t apiVersion = 0;
    std::optional<std::uint32_t>
        queueFamily;        // with compute; one with graphics too if there is one (RenderDoc needs it)
    std::string rejection;  // why a2 cannot run on it; empty if it can
};

struct DeviceChoice {
    std::size_t chosen = 0;  // into candidates
    std::vector<DeviceCandidate> candidates;
    std::vector<std::string> reasons;  // one line per device: why it was chosen or not
    std::size_t alike = 1;             // number of devices as good as the chosen one, which is counted, too
};

// Whether --device asks for the emulator: "emulator", in upper or lower case.
bool wantsEmulator(const std::string& device);

// Every device that the loader shows, in its order; or only the emulator. Throws OpeningError.
std::vector<DeviceCandidate> listDevices(const Instance& instance);

// wish: empty (the best: discrete, integrated, virtual, CPU), an index, "cpu", or a part of the name, in upper or lower
// case. rankHere: the number of this program among several on this machine that each want a device. It takes the device
// of that number among those that are as good as the best; where there are fewer, counting begins again at the first.
// Throws UsageError if the wish matches nothing, EnvironmentError if no device can be used.
DeviceChoice chooseDevice(std::vector<DeviceCandidate> candidates, const std::string& wish, unsigned rankHere = 0);

// "discrete GPU", "CPU" and so on.
const char* typeText(vk::PhysicalDeviceType type);

}  // namespace a2
