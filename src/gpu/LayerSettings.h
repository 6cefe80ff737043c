// What the validation layer is asked to look for, in words that this release of it understands.
#pragma once

#include "gpu/Instance.h"
#include "gpu/OwnedVulkan.h"

#include <memory>

namespace a2 {

class LayerSettings {
public:
    // For `validation`, which is not off. Asks the loader which extensions the layer has.
    LayerSettings(const vk::raii::Context& loader, Validation validation);
    ~LayerSettings();

    // The instance extension to enable, and what to chain to VkInstanceCreateInfo as long as this object lives.
    const char* extension() const;
    const void* chain() const;

private:
    struct Chained;
    std::unique_ptr<Chained> chained_;
};

}  // namespace a2
