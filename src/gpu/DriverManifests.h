// The manifests by which the Vulkan loader finds drivers, and what is wrong with them: the loader itself only reports
// that something did not work.
#pragma once

#include "a2/Error.h"
#include "a2/Vulkan.h"

#include <string>
#include <vector>

namespace a2 {

// One line, with path and reason, for each manifest that the loader would read but that leads to no driver. These are
// the manifests that VK_DRIVER_FILES or VK_ICD_FILENAMES name, or else those in the loader's folders (not on Windows,
// where the registry names them).
std::vector<std::string> brokenDriverManifests();

// Calls `open`, which opens something of Vulkan. Its error passes through, unless a manifest is broken: then it becomes
// an EnvironmentError that names the first such manifest.
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
