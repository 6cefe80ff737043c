// Reals that are no whole numbers. The judge's own inputs add up without rounding, and so do not see a kernel that
// counts in integers, or keeps fewer bits of an element than it has.
#pragma once

#include "gpu/Device.h"
#include "lint/Finding.h"
#include "tasks/Task.h"

#include <cstdint>

namespace a2 {

// One run of n random reals from 0 to 1. An element of its result may differ from the exact sum s of what was added by
//
//     gamma_k s,  gamma_k = k u / (1 - k u),  u = 2^-24,
//
// where k, the additions that a real goes through on its way there, is one less than there are reals: no order of
// additions has more (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 4.2; all reals are
// positive, so that s is the sum of their magnitudes). The exact sums are made in doubles; what these round is allowed
// on top.
//
// Rule rounding: a failure where an element is further off, otherwise a note that says how far the last one is. Of a
// task of float32 whose recording breaks no limit; throws as StudentSolution. n from 1 to longestRounded.
constexpr std::uint64_t longestRounded = std::uint64_t{1} << 20;
Finding addReals(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed);

}  // namespace a2
