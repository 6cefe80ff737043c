// A Vulkan of a2's own, for machines without a driver: one device, `-d emulator`, whose kernels run on the host
// (spirv/Emulator.h). It has the functions that a2 itself calls, and no others: what solutions call is noted by another
// one (recorder/), and what they recorded is checked before it comes here. Like a driver it trusts its caller, but for
// what kernels do: a kernel reaches nothing but what is bound, and ends with the time-out.
//
// Nothing runs before somebody waits for it: then all that was submitted does, one command after the other.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"

#include <optional>
#include <string>

namespace a2 {

// Whether this is what --device asks for: "emulator", in any case.
bool wantsEmulator(const std::string& device);

// There is no loader, driver or device of Vulkan on this machine; an emulated one needs none.
struct NoDriverError : EnvironmentError {
    explicit NoDriverError(const std::string& message) : EnvironmentError(message + "`-d emulator` judges without any")
    {
    }
};

// What stands for the loader's vkGetInstanceProcAddr.
PFN_vkGetInstanceProcAddr emulatedVulkan();

// More than a VkResult can say of work on this device.
struct EmulatedFault {
    std::string what;      // the end of a sentence about a kernel: "is not followed: Sum.comp:12: OpX is not known ..."
    bool endless = false;  // it never ends; otherwise nobody knows what it does
};
// Of the last wait on this queue of an emulated device, told once.
std::optional<EmulatedFault> takeEmulatedFault(VkQueue queue);

}  // namespace a2
