// Puts a fault into a copy of shaders/, and finds the command that a2 prints to show it again.
#pragma once

#include "RunA2.h"
#include "support/ChangedShaders.h"

#include <ostream>

namespace contract {

using BrokenShaders = a2::ChangedShaders;

// One fault of a list: in `file`, `wrong` replaces `right`. A task must fail because of it, with `told` in its
// explanation.
struct Fault {
    const char* name;
    const char* file;
    const char* right;
    const char* wrong;
    const char* task;
    const char* told;
};
inline void PrintTo(const Fault& fault, std::ostream* stream) { *stream << fault.name; }

// The command that a failed task prints last, unchanged; empty if it prints none.
std::string printedCommand(const std::string& out);
// Runs the command in a shell.
Finished pasted(const std::string& command);

}  // namespace contract
