// The solutions that this program has, by the names that rows give.
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

// Notes why a file of solutions is not in this program: ":5 does not compile: ..." where the line is known, "does not
// link: ..." without one. What stands for such a file calls it (tools/compile_solution.cmake).
void noteBroken(const char* file, const char* why);
// Why the solution that is asked for is not here, as a line; empty where nothing is noted of its file.
std::string brokenText(const RecordRequest& request);

// Null if there is none.
const FactoryEntry* findFactory(const std::string& name);

// As the request asks for it. What it returns throws KernelError if there is no such factory.
MakeSolution makeSolution(const RecordRequest& request);
// By another factory than the one of that name; null for none.
MakeSolution makeSolution(const RecordRequest& request, const FactoryEntry* by);

}  // namespace a2
