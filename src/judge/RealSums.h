// Tests with real numbers that are not whole. The judge's own inputs add up without rounding, and so do not detect a
// kernel that counts in integers, or keeps fewer bits of an element than it has.
#pragma once

#include "gpu/Device.h"
#include "lint/Finding.h"
#include "tasks/Task.h"

#include <cstdint>

namespace a2 {

// One run of n random reals from 0 to 1. An element of its result may differ from the exact sum by
//
//     gamma_k m,  gamma_k = k u / (1 - k u),  u = 2^-23,
//
// where m is the sum of all reals that a kernel may have added for this element, and k is one less than their number:
// no order of additions has a larger error (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition,
// section 4.2; all reals are positive, so m is the sum of their magnitudes, and u is that of devices that do not round
// to the nearest). For a scan these are the reals up to the end of the element's tile: a kernel may add the ones after
// the element and subtract them again. The exact sums are doubles, which do not round here.
//
// Rule rounding: an element outside these bounds is a failure; otherwise a note gives the error of the last one. For a
// task of float32 whose recording breaks no limit; throws what StudentSolution throws. n from 1 to longestRounded.
constexpr std::uint64_t longestRounded = std::uint64_t{1} << 20;
Finding addReals(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed);

}  // namespace a2
