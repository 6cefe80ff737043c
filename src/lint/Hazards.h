// Memory hazards between recorded commands: pairs that need a dependency and have none, or one that is too weak.
#pragma once

#include "lint/CommandLog.h"
#include "spirv/Emulator.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// The words of a buffer that a dispatch reads and writes, where its kernel was walked on the host.
struct UsedWords {
    WordBits read, written;
};
using WordsOfDispatches = std::map<std::pair<std::uint64_t, Index>, UsedWords>;  // by the dispatch's number

// Two commands that share bytes of a buffer, at least one of them writing, need a dependency between them (Vulkan
// specification, "Synchronization and Cache Control"): an execution dependency always; where the first one writes, its
// write must be made available, and visible to what the second one does. Kernels use storage buffers and uniform
// buffers, and an indirect dispatch the buffer with its work-groups, each by an access of its own. One departure: write
// -> read is enough where the second command both reads and writes or only writes, because the assignment's own barrier
// is that one. Rules missing-barrier and weak-barrier; at most one finding for each command, about the nearest one
// before it.
// words: what dispatches use. Of a dispatch and buffer that are not in it, all that is bound counts, and a barrier for
// any part of that as enough: two such dispatches may use different words of one buffer.
std::vector<Finding> hazards(const std::vector<Command>& commands, const WordsOfDispatches& words = {});

// "ComputeShader/ShaderWrite -> ComputeShader/ShaderRead+ShaderWrite"
std::string dependencyText(const Dependency& dependency);

}  // namespace a2
