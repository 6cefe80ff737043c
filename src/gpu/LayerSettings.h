// Tells the validation layer what to look for, in terms that the installed release understands.
#pragma once

#include "gpu/Instance.h"
#include "gpu/OwnedVulkan.h"

#include <memory>

namespace a2 {

class LayerSettings {
public:
    // validation: must not be off. Asks the loader which extensions the layer has.
    LayerSettings(const vk::raii::Context& loader, Validation validation);
    ~LayerSettings();

    // extension(): the instance extension to enable; the other: what to chain to VkInstanceCreateInfo while this object
    // lives.
    const char* extension() const;
    const void* chain() const;

private:
    struct Chained;
    std::unique_ptr<Chained> chained_;
};

}  // namespace a2
