// Memory hazards between recorded commands: pairs that need a dependency but have none, or have one that is too weak.
#pragma once

#include "lint/CommandLog.h"
#include "spirv/Emulator.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace a2 {

// The words of a buffer that a dispatch reads and writes, if its kernel was walked on the host.
struct UsedWords {
    WordBits read, written;
};
using WordsOfDispatches = std::map<std::pair<std::uint64_t, Index>, UsedWords>;  // by the dispatch's number

// Two commands that share bytes of a buffer need a dependency between them if at least one of them writes (Vulkan
// specification, "Synchronization and Cache Control"): always an execution dependency. If the first one writes, its
// write must also be made available, and visible to the accesses of the second. Kernels use storage buffers and uniform
// buffers; an indirect dispatch uses the buffer with its work-groups. Each of these has its own kind of access. One
// departure: write -> read is enough where the second command both reads and writes or only writes, because that is the
// assignment's own barrier. Rules missing-barrier and weak-barrier; at most one finding for each command, about the
// nearest command before it. words: what dispatches use. For a dispatch and buffer that are not in it, all that is
// bound counts as used, and a barrier for any part of it counts as enough: two such dispatches may use different words
// of one buffer.
std::vector<Finding> hazards(const std::vector<Command>& commands, const WordsOfDispatches& words = {});

// "ComputeShader/ShaderWrite -> ComputeShader/ShaderRead+ShaderWrite"
std::string dependencyText(const Dependency& dependency);

}  // namespace a2
