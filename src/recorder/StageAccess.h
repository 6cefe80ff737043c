// Which stages make which accesses.
#pragma once

#include "a2/Vulkan.h"

namespace a2 {

// Which of the accesses that a barrier names are made by none of the stages named with them; a barrier must have none
// of these (Vulkan specification, table "Supported Access Types", VUID-VkBufferMemoryBarrier2-srcAccessMask-03909 and
// following). Accesses to images and of extensions are not checked.
vk::AccessFlags2 accessesOfNoStage(vk::PipelineStageFlags2 stages, vk::AccessFlags2 accesses);

}  // namespace a2
