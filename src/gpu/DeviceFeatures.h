// What kernels may use of a device beyond Vulkan 1.1's own: every feature that it has and that harms nobody.
#pragma once

#include "a2/Vulkan.h"

#include <cstddef>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace a2 {

// A structure of features of one extension.
struct FeatureGroup {
    struct Flag {
        const char* name;    // Vulkan's: "shaderFloat16"
        std::size_t offset;  // of its VkBool32 in the structure
    };
    VkStructureType type;
    std::size_t bytes;            // of the structure
    const char* extension;        // null: Vulkan 1.1 has it
    std::span<const Flag> flags;  // those that are asked for
};
std::span<const FeatureGroup> featureGroups();
// Extensions without features of their own that kernels may use.
std::span<const char* const> kernelExtensions();

class DeviceFeatures {
public:
    DeviceFeatures() = default;
    // What the device has of all that; offered: its extensions.
    DeviceFeatures(const vk::raii::PhysicalDevice& physical, const std::vector<vk::ExtensionProperties>& offered);

    bool has(const std::string& name) const { return names_.count(name) > 0; }
    // As kernelNeeds() calls them.
    void add(const std::string& name) { names_.insert(name); }
    void addSubgroup(vk::SubgroupFeatureFlags operations);
    void remove(const std::string& name);

    // For vkCreateDevice, as long as this object stays where it is.
    const void* chain();
    const std::vector<const char*>& extensions() const { return extensions_; }

private:
    struct Asked {
        const FeatureGroup* group;
        std::vector<VkBool32> words;  // the structure
    };
    std::set<std::string> names_;
    std::vector<const char*> extensions_;
    std::vector<Asked> asked_;
};

}  // namespace a2
