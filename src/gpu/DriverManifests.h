// The manifests by which the Vulkan loader finds drivers, and what is wrong with them: the loader itself says only that
// something did not work.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"

#include <string>
#include <vector>

namespace a2 {

// One line for each manifest that the loader would read and that leads to no driver: its path and why. Those that
// VK_DRIVER_FILES or VK_ICD_FILENAMES name, or else those in the loader's folders (not on Windows, where the registry
// names them).
std::vector<std::string> brokenDriverManifests();

// Opens something of Vulkan. What fails then passes through, unless a manifest is broken: then it is an
// EnvironmentError that names the first such one.
auto namingBrokenManifests(const auto& open)
{
    const auto name = [](const std::exception& error) {
        const std::vector<std::string> broken = brokenDriverManifests();
        if (!broken.empty())
            throw EnvironmentError(std::string(error.what()) + "; a driver manifest is broken: " + broken.front());
    };
    try {
        return open();
    } catch (const EnvironmentError& error) {
        name(error);
        throw;
    } catch (const vk::SystemError& error) {
        name(error);
        throw;
    }
}

}  // namespace a2
