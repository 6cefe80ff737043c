// Whether a solution uses its row's method, criterion by criterion. A right result by another method is also right, but
// the assignment gives points for the method.
//
// A criterion is unmet only if that is certain. Every honest variant of the method meets it, in any shape and at any
// length; what cannot be decided is left out.
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
    std::string evidence;   // one line: what was counted and, if it is unmet, what was expected
    std::string file = {};  // under shaders/; the code at fault, if known
    std::uint32_t line = 0;
};

// Lengths at which runs are looked at: shorter ones show little, and longer ones are not walked on the host.
constexpr std::uint64_t shortestForMethod = 64;  // elements

// Judges the solution of a row on n elements by its recording. It must have passed in this shape. Walks the run on the
// host, on random input of this seed; the device is not used. Empty for a row without criteria, and if the run cannot
// be followed to its end. A seed that solutions cannot know: a kernel may do on a known input what is asked, and
// something else on all others.
std::vector<MethodCriterion> methodOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                      std::uint64_t seed, const Recording& recording);

}  // namespace a2
