// Many runs in one command buffer.
#pragma once

#include "judge/StudentSolution.h"

#include <memory>
#include <vector>

namespace a2 {

// Records `runs` runs, for which the solutions take turns. A barrier stands where the first of them comes round again:
// a run waits for all before it that could share a buffer with it, which is written, and for no other. With one
// solution that is a chain. Different solutions may share what they only read.
void recordInTurns(Commands& cb, const std::vector<std::unique_ptr<StudentSolution>>& solutions, unsigned runs);

}  // namespace a2
