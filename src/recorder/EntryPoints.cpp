#include "recorder/EntryPoints.h"

#include "recorder/Recorder.h"
#include "recorder/Refusals.h"

#include <fmt/format.h>

#include <string_view>

namespace a2 {

std::atomic<const char*> lastCall = "";

const char* lastVulkanCall() { return lastCall; }

void mustBe(Recorder& recorder, VkStructureType is, VkStructureType must, std::string_view name)
{
    if (is == must) return;
    recorder.fault("call", fmt::format("{}: a structure's sType is {}, as if it were another one: set it to {}",
                                       lastCall.load(), static_cast<std::uint32_t>(is), name));
}

namespace {

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name);
VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name);

std::map<std::string_view, PFN_vkVoidFunction> allEntryPoints()
{
    std::map<std::string_view, PFN_vkVoidFunction> all = {
        {"vkGetInstanceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getInstanceProcAddr)},
        {"vkGetDeviceProcAddr", reinterpret_cast<PFN_vkVoidFunction>(getDeviceProcAddr)}};
    for (const auto& list : {deviceEntryPoints(), memoryEntryPoints(), pipelineEntryPoints(), descriptorEntryPoints(),
                             commandBufferEntryPoints(), commandEntryPoints(), barrierEntryPoints()})
        for (const EntryPoint& one : list) all.emplace(one.name, one.call);
    return all;
}

PFN_vkVoidFunction functionOf(const char* name)
{
    static const auto all = allEntryPoints();
    if (!name) return nullptr;
    const auto found = all.find(name);
    return found == all.end() ? refusal(name) : found->second;
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance, const char* name) { return functionOf(name); }
PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice, const char* name) { return functionOf(name); }

}  // namespace

NotingVulkan::NotingVulkan() : before_(VULKAN_HPP_DEFAULT_DISPATCHER)
{
    static const auto noting = [] {  // a few hundred look-ups, done once
        std::remove_cvref_t<decltype(VULKAN_HPP_DEFAULT_DISPATCHER)> table;
        table.init(getInstanceProcAddr);
        table.init(vk::Instance(handleOf<VkInstance>(1)));  // the functions are the same for every instance
        return table;
    }();
    VULKAN_HPP_DEFAULT_DISPATCHER = noting;
}

NotingVulkan::~NotingVulkan() { VULKAN_HPP_DEFAULT_DISPATCHER = before_; }

}  // namespace a2
