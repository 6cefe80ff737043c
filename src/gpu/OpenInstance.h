// The Vulkan objects of an Instance.
#pragma once

#include "gpu/Instance.h"
#include "gpu/OwnedVulkan.h"

namespace a2 {

struct OpenInstance {
    explicit OpenInstance(PFN_vkGetInstanceProcAddr getInstanceProcAddr) : context(getInstanceProcAddr) {}

    vk::raii::Context context;
    vk::raii::Instance instance = nullptr;
    vk::raii::DebugUtilsMessengerEXT messenger = nullptr;
};

}  // namespace a2
