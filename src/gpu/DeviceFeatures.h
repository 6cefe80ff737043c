// What kernels may use of a device beyond Vulkan 1.1: every feature that the device has and that does no harm.
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
    // Which of these features the device has; offered: its extensions.
    DeviceFeatures(vk::PhysicalDevice physical, const std::vector<vk::ExtensionProperties>& offered);
    // All features that kernels may use, for the emulator, which has no device that must enable them.
    static DeviceFeatures all();

    bool has(const std::string& name) const { return names_.count(name) > 0; }
    // Names are those that kernelNeeds() uses.
    void add(const std::string& name) { names_.insert(name); }
    void addSubgroup(vk::SubgroupFeatureFlags operations);
    void remove(const std::string& name);

    // For vkCreateDevice. Valid as long as this object is not moved.
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
