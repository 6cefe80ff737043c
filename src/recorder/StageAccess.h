// Which stages make which accesses.
#pragma once

#include "a2/Vulkan.h"

namespace a2 {

// Of the accesses that a barrier names beside these stages, those that none of the stages makes; a barrier must name
// none (Vulkan specification, table "Supported Access Types", VUID-VkBufferMemoryBarrier2-srcAccessMask-03909 and
// following). Accesses to images and of extensions are not judged.
vk::AccessFlags2 accessesOfNoStage(vk::PipelineStageFlags2 stages, vk::AccessFlags2 accesses);

}  // namespace a2
