// The solutions in this program, by the names that rows use.
#pragma once

#include "a2/Factory.h"
#include "recorder/Recorder.h"

#include <string>

namespace a2 {

struct FactoryEntry {
    std::string name;
    Factory::Make* make = nullptr;
    bool twice = false;  // another file has the same name
};

// Notes why a file of solutions is not in this program: ":5 does not compile: ..." if the line is known, "does not
// link: ..." without one. The file that replaces such a file calls it (tools/compile_solution.cmake).
void noteBroken(const char* file, const char* why);
// Why the requested solution is not here, as one line; empty if its file has no such note.
std::string brokenText(const RecordRequest& request);

// Null if there is none.
const FactoryEntry* findFactory(const std::string& name);

// A function that makes the requested solution. It throws KernelError if there is no such factory.
MakeSolution makeSolution(const RecordRequest& request);
// The same with this factory instead of the one of that name; null for none.
MakeSolution makeSolution(const RecordRequest& request, const FactoryEntry* by);

}  // namespace a2
