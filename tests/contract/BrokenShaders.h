// A fault in a copy of shaders/, and what a2 prints to see it again.
#pragma once

#include "RunA2.h"
#include "support/ChangedShaders.h"

namespace contract {

using BrokenShaders = a2::ChangedShaders;

// The words of the `a2 ...` command that a failed task prints last, without "a2"; empty if it prints none.
Words printedCommand(const std::string& out);

}  // namespace contract
