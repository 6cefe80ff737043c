// Memory hazards between recorded commands: pairs that need a dependency and have none, or one that is too weak.
#pragma once

#include "lint/CommandLog.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// The bytes of each buffer from the first to the last word that a dispatch changed, by the dispatch's number; none
// where it changed none. If it was not seen, a barrier for any part of what is bound counts as enough.
struct WrittenPart {
    vk::DeviceSize first = 0, end = 0;
    bool seen = true;
};
using WrittenParts = std::map<std::pair<std::uint64_t, vk::Buffer>, WrittenPart>;

// Whether a barrier is about a part of what a dispatch before it has bound, so that what that dispatch wrote there says
// whether it is enough.
bool coversParts(const std::vector<Command>& commands);

// Two commands that share bytes of a buffer, at least one of them writing, need a dependency between them (Vulkan
// specification, "Synchronization and Cache Control"): an execution dependency always; where the first one writes, its
// write must be made available, and visible to what the second one does. Kernels use storage buffers and uniform
// buffers, and an indirect dispatch the buffer with its work-groups, each by an access of its own. One departure: write
// -> read is enough where the second command both reads and writes or only writes, because the assignment's own barrier
// is that one. Rules missing-barrier and weak-barrier; at most one finding for each command, about the nearest one
// before it.
// written: what dispatches are known to have written; a barrier for that is enough. Of a dispatch and buffer that are
// not in it, all that is bound counts.
std::vector<Finding> hazards(const std::vector<Command>& commands, const WrittenParts& written = {});

// "ComputeShader/ShaderWrite -> ComputeShader/ShaderRead+ShaderWrite"
std::string dependencyText(const Dependency& dependency);

}  // namespace a2
