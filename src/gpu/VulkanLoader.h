// The system's Vulkan loader, which brings the drivers.
#pragma once

#include "a2/Vulkan.h"

#include <memory>

namespace a2 {

// Loaded as long as this lives.
class VulkanLoader {
public:
    // Throws EnvironmentError where there is none.
    VulkanLoader();

    PFN_vkGetInstanceProcAddr getInstanceProcAddr() const { return getInstanceProcAddr_; }

private:
    struct Close {
        void operator()(void* library) const;
    };
    std::unique_ptr<void, Close> library_;
    PFN_vkGetInstanceProcAddr getInstanceProcAddr_ = nullptr;
};

}  // namespace a2
