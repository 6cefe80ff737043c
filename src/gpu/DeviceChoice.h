// Which physical device to use, and why not the others.
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
    std::size_t alike = 1;             // devices that are as good as the chosen one, itself among them
};

// Whether this is what --device asks for: "emulator", in any case.
bool wantsEmulator(const std::string& device);

// Every device the loader shows, in its order; or the emulator alone. Throws OpeningError.
std::vector<DeviceCandidate> listDevices(const Instance& instance);

// wish: empty (the best: discrete, integrated, virtual, CPU), an index, "cpu", or a part of the name in any case.
// rankHere: of several programs on this machine that want a device each, this one's number; of the devices that are as
// good as the best it takes the one of that number, beginning anew where there are not so many.
// Throws UsageError if the wish matches nothing, EnvironmentError if no device can be used.
DeviceChoice chooseDevice(std::vector<DeviceCandidate> candidates, const std::string& wish, unsigned rankHere = 0);

// "discrete GPU", "CPU" and so on.
const char* typeText(vk::PhysicalDeviceType type);

}  // namespace a2
