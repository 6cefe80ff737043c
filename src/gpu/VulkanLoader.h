// The system's Vulkan loader, which brings the drivers.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"

#include <memory>
#include <string>

namespace a2 {

// This machine has no Vulkan loader, driver or device; the emulated one does not need them.
struct NoDriverError : EnvironmentError {
    explicit NoDriverError(const std::string& message) : EnvironmentError(message + "`-d emulator` judges without any")
    {
    }
};

// The loader is loaded as long as this object lives.
class VulkanLoader {
public:
    // Throws NoDriverError where there is none.
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
