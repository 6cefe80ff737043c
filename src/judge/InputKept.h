// Whether a run has left its input as it was.
#pragma once

#include "judge/DeviceInput.h"
#include "judge/StudentSolution.h"
#include "judge/Verdict.h"

namespace a2 {

Finding inputOverwritten(std::uint64_t element, const char* buffer);

// Adds a finding about the input, if the task keeps it, and about block offsets. They are read back only if something
// recorded may have written them, so that most runs need no read-back.
void checkInputKept(Device& gpu, const Expectation& expectation, const DeviceInput& input,
                    const StudentSolution& solution, bool keepsInput, Verdict& verdict);

}  // namespace a2
