// A fault in a copy of shaders/, and what a2 prints to see it again.
#pragma once

#include "RunA2.h"
#include "support/ChangedShaders.h"

namespace contract {

using BrokenShaders = a2::ChangedShaders;

// The command that a failed task prints last, as it stands there; empty if it prints none.
std::string printedCommand(const std::string& out);
// What a shell makes of it.
Finished pasted(const std::string& command);

}  // namespace contract
