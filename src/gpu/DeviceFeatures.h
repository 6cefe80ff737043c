// What kernels may use of a device beyond Vulkan 1.1's own: every feature that it has and that harms nobody.
#pragma once

#include "a2/Vulkan.h"

#include <set>
#include <string>
#include <vector>

namespace a2 {

struct FeatureGroup;  // a structure of features of one extension

class DeviceFeatures {
public:
    DeviceFeatures() = default;
    // What the device has of all that; offered: its extensions.
    DeviceFeatures(vk::PhysicalDevice physical, const std::vector<vk::ExtensionProperties>& offered);
    // All that kernels may use, for whoever needs no device to enable it: the emulator.
    static DeviceFeatures all();

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
