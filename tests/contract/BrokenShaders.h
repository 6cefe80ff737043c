// A fault in a copy of shaders/, and what a2 prints to see it again.
#pragma once

#include "RunA2.h"
#include "support/ChangedShaders.h"

#include <ostream>

namespace contract {

using BrokenShaders = a2::ChangedShaders;

// One of a list of faults: in `file`, `wrong` stands for `right`. A task fails for it, and its explanation holds
// `told`.
struct Fault {
    const char* name;
    const char* file;
    const char* right;
    const char* wrong;
    const char* task;
    const char* told;
};
inline void PrintTo(const Fault& fault, std::ostream* stream) { *stream << fault.name; }

// The command that a failed task prints last, as it stands there; empty if it prints none.
std::string printedCommand(const std::string& out);
// What a shell makes of it.
Finished pasted(const std::string& command);

}  // namespace contract
