// What a recording alone shows about its bindings and dispatches on a device with given limits.
#pragma once

#include "a2/Vulkan.h"
#include "recording/Recording.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// For a VkDescriptorType of buffers.
bool isDynamic(std::uint32_t descriptorType);
bool isUniform(std::uint32_t descriptorType);

// The binding of a set layout with this number; null if it has none.
const RecordedSetLayout::Binding* bindingOf(const RecordedSetLayout& layout, std::uint32_t number);

// How many bytes of push constants pipelines with these ranges have: up to the end of the last range.
std::uint32_t pushBytesOf(const std::vector<RecordedLayout::PushRange>& push);

// Which of a device's limits forbids binding bytes `offset` to `offset + bytes` of a recording's buffer; empty: none. A
// forbidden binding is never made.
std::optional<std::string> bindingProblem(const vk::PhysicalDeviceLimits& limits, const RecordedBuffer& buffer,
                                          std::uint32_t binding, std::uint32_t descriptorType, std::uint64_t offset,
                                          std::uint64_t bytes);

// What is wrong with starting that many work-groups, from number `base` on, as the end of a sentence about a dispatch;
// empty: nothing.
std::optional<std::string> groupProblem(const vk::PhysicalDeviceLimits& limits,
                                        const std::array<std::uint32_t, 3>& groups,
                                        const std::array<std::uint32_t, 3>& base = {});

}  // namespace a2
