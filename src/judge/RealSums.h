// Reals that are no whole numbers. The judge's own inputs add up without rounding, and so do not see a kernel that
// counts in integers, or keeps fewer bits of an element than it has.
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
// where m is the sum of all reals that a kernel may have added on the way there, and k one less than there are: no
// order of additions takes more (Higham, Accuracy and Stability of Numerical Algorithms, 2nd edition, section 4.2; all
// reals are positive, so that m is the sum of their magnitudes, and u is that of devices that do not round to the
// nearest). Of a scan these are the reals up to the end of the element's tile: what comes after the element may be
// added, and taken back. The exact sums are doubles, which do not round here.
//
// Rule rounding: a failure where an element is further off, otherwise a note that says how far the last one is. Of a
// task of float32 whose recording breaks no limit; throws as StudentSolution. n from 1 to longestRounded.
constexpr std::uint64_t longestRounded = std::uint64_t{1} << 20;
Finding addReals(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n, std::uint64_t seed);

}  // namespace a2
