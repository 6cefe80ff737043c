// Notes the calls that reach the driver while an object of this kind lives: 'd' for a dispatch, '|' for a barrier.
#pragma once

#include "a2/Vulkan.h"
#include "gpu/Device.h"
#include "gpu/VulkanBackend.h"

#include <algorithm>
#include <string>
#include <type_traits>

namespace a2 {

// The table of calls of a device's objects, for tests that replace some.
inline auto& tableOf(Device& gpu)
{
    const auto& table = *vulkanOf(*gpu.backend).device.getDispatcher();
    return const_cast<std::remove_cvref_t<decltype(table)>&>(table);
}

class DriverCalls {
public:
    DriverCalls()
    {
        seen().clear();
        driver() = VULKAN_HPP_DEFAULT_DISPATCHER;
        VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdDispatch = [](auto... arguments) {
            seen() += 'd';
            driver().vkCmdDispatch(arguments...);
        };
        VULKAN_HPP_DEFAULT_DISPATCHER.vkCmdPipelineBarrier = [](auto... arguments) {
            seen() += '|';
            driver().vkCmdPipelineBarrier(arguments...);
        };
    }
    ~DriverCalls() { VULKAN_HPP_DEFAULT_DISPATCHER = driver(); }
    DriverCalls(const DriverCalls&) = delete;
    DriverCalls& operator=(const DriverCalls&) = delete;

    std::string text() const { return seen(); }
    std::size_t dispatches() const { return static_cast<std::size_t>(std::count(seen().begin(), seen().end(), 'd')); }

private:
    using Table = std::remove_cvref_t<decltype(VULKAN_HPP_DEFAULT_DISPATCHER)>;
    static std::string& seen()
    {
        static std::string text;
        return text;
    }
    static Table& driver()
    {
        static Table table;
        return table;
    }
};

}  // namespace a2
