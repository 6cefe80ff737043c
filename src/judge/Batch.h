// Many runs in one command buffer.
#pragma once

#include "judge/StudentSolution.h"

#include <memory>
#include <vector>

namespace a2 {

// Records `runs` runs that take the solutions in turn. A barrier is recorded each time the first solution comes round
// again: a run waits for every earlier run that could share a written buffer with it, and for no other. With one
// solution each run waits for the one before. Different solutions may share buffers that they only read.
void recordInTurns(Commands& cb, const std::vector<std::unique_ptr<StudentSolution>>& solutions, unsigned runs);

}  // namespace a2
