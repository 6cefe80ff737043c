// Walks a run to collect the output of its kernels.
#pragma once

#include "judge/PrintedRun.h"
#include "judge/StudentSolution.h"
#include "lint/EmulatedRun.h"

namespace a2 {

// Of the solution's present run. The caller fills in length, shape and pattern.
PrintedRun printedBy(Device& gpu, const StudentSolution& solution, GivenWords given, const PrintSettings& wanted,
                     std::uint32_t poison);

}  // namespace a2
