// Deliberately wrong solutions; generate.py makes them from the real ones, as variants.py says.
#pragma once

#include "a2/Factory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A changed factory, for the rows that name the real one.
struct Exchange {
    std::string factory;
    Factory::Make* changed = nullptr;
};

struct BadSolution {
    std::string name;
    std::string file;                 // what is changed, from the project's folder
    std::string shaderDir;            // where a kernel is changed; otherwise empty
    std::vector<Exchange> exchanges;  // where host code is changed: one for each factory in the file
    std::string problem;              // why the change could not be made; otherwise empty
};

struct Variant {
    BadSolution solution;
    std::string task;
    std::uint64_t n;
    std::uint32_t workGroup, elements;
    std::string pattern;
    std::string rule;  // how it must be rejected, in the words of variants.py
    std::optional<std::uint64_t> dispatch;
    bool sliced = false;  // on a device that binds no more than 64 tiles
};

std::vector<Variant> variants();
// Each barrier of each file removed, one at a time.
std::vector<BadSolution> removedBarriers();
// Of variants.py's SEEN_BY_NOBODY, what no longer goes with the kernels.
std::vector<std::string> staleExcuses();

}  // namespace a2
