// The walk of a run for what its kernels print.
#pragma once

#include "judge/PrintedRun.h"
#include "judge/StudentSolution.h"
#include "lint/EmulatedRun.h"

namespace a2 {

// Of the solution's present run. Length, shape and pattern are left to the caller.
PrintedRun printedBy(Device& gpu, const StudentSolution& solution, GivenWords given, const PrintSettings& wanted,
                     std::uint32_t poison);

}  // namespace a2
