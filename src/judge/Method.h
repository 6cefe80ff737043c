// Whether a solution uses the method that its row is about, criterion by criterion. A right result by another method is
// as right; the assignment gives points for the method.
//
// A criterion is unmet only where that is certain. What an honest solution may do in another way, in any shape and at
// any length, meets it; what cannot be told is left out.
#pragma once

#include "gpu/Device.h"
#include "recording/Recording.h"
#include "tasks/Task.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct MethodCriterion {
    std::string criterion;  // "one dispatch per step"
    bool met = true;
    std::string evidence;   // one line: what was counted, and, where it is unmet, what was to be expected
    std::string file = {};  // under shaders/; of the code to blame where that is known
    std::uint32_t line = 0;
};

// Arrays whose runs are looked at: shorter ones show little, and longer ones are not walked on the host.
constexpr std::uint64_t shortestForMethod = 64;  // elements

// Of the solution of a row on n elements, by what it recorded for that. It has passed in this shape. Walks the run on
// the host; the device has no part in it. Empty for a row without criteria, and where the run cannot be followed to its
// end.
std::vector<MethodCriterion> methodOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                      const Recording& recording);

}  // namespace a2
