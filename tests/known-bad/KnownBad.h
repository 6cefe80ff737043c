// Deliberately wrong solutions; generate.py makes them from the real ones, as variants.py says.
#pragma once

#include "TaskRows.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Puts a changed factory into a row that has the real one; false, and nothing done, for other rows.
using Exchange = std::function<bool(Task& row)>;

template <class Factory>
Exchange exchange(Factory& real, Factory& changed)
{
    return [&real, &changed](Task& row) {
        auto* const by = row.prepare.target<PreparedBy<Factory>>();
        if (!by || by->make != &real) return false;
        by->make = &changed;
        return true;
    };
}

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
