// Records a command that was noted before once more.
#pragma once

#include "observe/CommandLog.h"

namespace a2 {

// The command with all state it needs (pipeline, descriptor sets, push constants), into a command buffer of its own.
void recordAgain(const Command& command, vk::CommandBuffer cb);

// Whether a dispatch or transfer in the log can write to the buffer.
bool mayWrite(const CommandLog& log, vk::Buffer buffer);

}  // namespace a2
