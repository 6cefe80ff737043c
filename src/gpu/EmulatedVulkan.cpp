#include "gpu/EmulatedVulkan.h"

#include "gpu/EmulatedObjects.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace a2 {

namespace emulated {

namespace {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name);

std::map<std::string_view, PFN_vkVoidFunction> allEntryPoints()
{
    std::map<std::string_view, PFN_vkVoidFunction> all = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr)}};
    for (const auto& list : {deviceEntryPoints(), memoryEntryPoints(), descriptorEntryPoints(), pipelineEntryPoints(),
                             commandEntryPoints(), queueEntryPoints()})
        for (const EntryPoint& one : list) all.emplace(one.name, one.call);
    return all;
}

// Null for what there is not, as Vulkan has it.
PFN_vkVoidFunction functionOf(const char* name)
{
    static const auto all = allEntryPoints();
    const auto found = all.find(name);
    return found == all.end() ? nullptr : found->second;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name) { return functionOf(name); }
PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name) { return functionOf(name); }

}  // namespace

}  // namespace emulated

bool wantsEmulator(const std::string& device)
{
    constexpr std::string_view name = "emulator";
    return std::equal(device.begin(), device.end(), name.begin(), name.end(),
                      [](unsigned char a, char b) { return std::tolower(a) == b; });
}

PFN_vkGetInstanceProcAddr emulatedVulkan() { return emulated::getInstanceProcAddr; }

std::optional<EmulatedFault> takeEmulatedFault(VkQueue queue)
{
    return emulated::objectOf<emulated::Queue>(queue).takeFault();
}

}  // namespace a2
