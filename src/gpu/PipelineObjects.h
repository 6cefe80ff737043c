// What one shader in one shape compiles to, kept by the device so that it is built once.
#pragma once

#include "a2/KernelShape.h"
#include "a2/Vulkan.h"
#include "kernel/KernelFacts.h"
#include "kernel/WorkGroupCheck.h"

#include <compare>
#include <string>

namespace a2 {

struct PipelineKey {
    std::string shader;
    std::uint32_t workGroup, elements, exclusive, places, banks, bindings, pushBytes;
    auto operator<=>(const PipelineKey&) const = default;
};

struct PipelineObjects {
    vk::raii::DescriptorSetLayout setLayout = nullptr;
    vk::raii::PipelineLayout layout = nullptr;
    vk::raii::Pipeline pipeline = nullptr;
    KernelFacts facts;
    WorkGroupCheck groupCheck;
};

}  // namespace a2
