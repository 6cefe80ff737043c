// Deliberately wrong solutions; generate.py makes them from the right ones, as variants.py says.
#pragma once

#include "a2/Factory.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A changed factory, for the rows that use the original.
struct Exchange {
    std::string factory;
    Factory::Make* changed = nullptr;
};

struct BadSolution {
    std::string name;
    std::string file;                 // the changed file, from the project's folder on
    std::string shaderDir;            // if a kernel is changed; otherwise empty
    std::vector<Exchange> exchanges;  // if host code is changed: one for each factory in the file
    std::string problem;              // why the change could not be made; otherwise empty
};

struct Variant {
    BadSolution solution;
    std::string task;
    std::uint64_t n;
    std::uint32_t workGroup, elements;
    std::string pattern;
    std::string rule;  // how it must be rejected, as variants.py names it
    std::optional<std::uint64_t> dispatch;
    bool sliced = false;  // run on a device that binds at most 64 tiles
};

std::vector<Variant> variants();
// For each barrier of each file, a solution without it.
std::vector<BadSolution> removedBarriers();
// Entries of SEEN_BY_NOBODY in variants.py that no longer fit the kernels.
std::vector<std::string> staleExcuses();

}  // namespace a2
