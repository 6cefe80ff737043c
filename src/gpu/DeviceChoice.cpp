#include "gpu/DeviceChoice.h"

#include "a2/Error.h"
#include "gpu/EmulatedBackend.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace a2 {

namespace {

// Lower is better.
int rank(vk::PhysicalDeviceType type)
{
    switch (type) {
        case vk::PhysicalDeviceType::eDiscreteGpu:
            return 0;
        case vk::PhysicalDeviceType::eIntegratedGpu:
            return 1;
        case vk::PhysicalDeviceType::eVirtualGpu:
            return 2;
        case vk::PhysicalDeviceType::eCpu:
            return 3;
        default:
            return 4;
    }
}

std::string lower(std::string text)
{
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

std::optional<std::uint32_t> findQueueFamily(vk::PhysicalDevice device)
{
    std::optional<std::uint32_t> computeOnly;
    const auto families = device.getQueueFamilyProperties();
    for (std::uint32_t i = 0; i < families.size(); ++i) {
        if (!(families[i].queueFlags & vk::QueueFlagBits::eCompute)) continue;
        if (families[i].queueFlags & vk::QueueFlagBits::eGraphics) return i;
        if (!computeOnly) computeOnly = i;
    }
    return computeOnly;
}

bool wanted(const DeviceCandidate& device, const std::string& wish)
{
    if (wish.empty()) return true;
    if (lower(wish) == "cpu") return device.type == vk::PhysicalDeviceType::eCpu;
    std::uint32_t index = 0;
    const auto [end, error] = std::from_chars(wish.data(), wish.data() + wish.size(), index);
    if (error == std::errc() && end == wish.data() + wish.size()) return index == device.index;
    return lower(device.name).find(lower(wish)) != std::string::npos;
}

std::string listText(const std::vector<DeviceCandidate>& candidates)
{
    std::string text;
    for (const auto& device : candidates)
        text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", device.index, device.name);
    return text.empty() ? "none" : text;
}

}  // namespace

const char* typeText(vk::PhysicalDeviceType type)
{
    static constexpr const char* names[] = {"discrete GPU", "integrated GPU", "virtual GPU", "CPU", "other device"};
    return names[rank(type)];
}

bool wantsEmulator(const std::string& device) { return lower(device) == "emulator"; }

std::vector<DeviceCandidate> listDevices(const Instance& instance)
try {
    if (instance.isEmulated()) return {emulatorCandidate()};
    std::vector<DeviceCandidate> found;
    for (const vk::PhysicalDevice device : instance.physicalDevices()) {
        const auto properties = device.getProperties();
        DeviceCandidate candidate;
        candidate.index = static_cast<std::uint32_t>(found.size());
        candidate.name = properties.deviceName.data();
        candidate.type = properties.deviceType;
        candidate.apiVersion = properties.apiVersion;
        candidate.queueFamily = findQueueFamily(device);
        if (properties.apiVersion < VK_API_VERSION_1_1)
            candidate.rejection =
                fmt::format("supports Vulkan {} only, 1.1 is needed", versionText(properties.apiVersion));
        else if (!candidate.queueFamily)
            candidate.rejection = "has no queue for compute";
        found.push_back(std::move(candidate));
    }
    return found;
} catch (const vk::SystemError& error) {
    throw OpeningError("the list of devices", error);
}

DeviceChoice chooseDevice(std::vector<DeviceCandidate> candidates, const std::string& wish, unsigned rankHere)
{
    if (candidates.empty())
        throw NoDriverError(
            "no Vulkan device on this machine: install mesa-vulkan-drivers (it has a CPU driver too) or "
            "the GPU vendor's driver; `a2 doctor` shows more, and ");
    std::optional<std::size_t> best;
    bool anyWanted = false;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        if (!wanted(candidates[i], wish)) continue;
        anyWanted = true;
        if (!candidates[i].rejection.empty()) continue;
        if (!best || rank(candidates[i].type) < rank(candidates[*best].type)) best = i;
    }
    if (!anyWanted)
        throw UsageError(
            fmt::format("no device matches '{}' (devices: {}); give an index, a part of the name, cpu, or emulator",
                        wish, listText(candidates)));
    if (!best) {
        for (const auto& device : candidates)
            if (wanted(device, wish))
                throw EnvironmentError(fmt::format("device {} ({}) {}; `a2 doctor` shows all devices", device.index,
                                                   device.name, device.rejection));
    }

    std::vector<std::size_t> alike;
    for (std::size_t i = 0; i < candidates.size(); ++i)
        if (wanted(candidates[i], wish) && candidates[i].rejection.empty() &&
            rank(candidates[i].type) == rank(candidates[*best].type))
            alike.push_back(i);
    const bool turns = rankHere > 0 && alike.size() > 1;
    DeviceChoice choice{alike[rankHere % alike.size()], std::move(candidates), {}, alike.size()};
    const DeviceCandidate& chosen = choice.candidates[choice.chosen];
    for (const auto& device : choice.candidates) {
        const std::string head = fmt::format("device {}: {} ({})", device.index, device.name, typeText(device.type));
        if (&device == &chosen)
            choice.reasons.push_back(head + (choice.candidates.size() == 1 ? ", the only one"
                                             : turns        ? fmt::format(", chosen: number {} of its kind", rankHere)
                                             : wish.empty() ? ", chosen: the best kind here"
                                                            : fmt::format(", chosen: matches '{}'", wish)));
        else if (!device.rejection.empty())
            choice.reasons.push_back(head + ", not used: " + device.rejection);
        else if (!wanted(device, wish))
            choice.reasons.push_back(head + fmt::format(", not used: does not match '{}'", wish));
        else if (rank(device.type) > rank(chosen.type))
            choice.reasons.push_back(head +
                                     fmt::format(", not used: {} {} comes first",
                                                 chosen.type == vk::PhysicalDeviceType::eIntegratedGpu ? "an" : "a",
                                                 typeText(chosen.type)));
        else
            choice.reasons.push_back(head + ", not used: the same kind, but listed later");
    }
    return choice;
}

}  // namespace a2
