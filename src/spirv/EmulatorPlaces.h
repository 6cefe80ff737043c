// Where invocations are in the program, and which of them come earlier.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <vector>

namespace a2::emulator {

// The place of an instruction in the program: from main() on, for each function, the loops from the outermost inwards,
// each with its turns, and the instruction. Where two such ways meet, the one that is first in order is the one that
// the other waits for. at: an instruction. turns: of each loop. cells: the invocation's own.
std::vector<std::uint32_t> wayOf(const Code& code, std::uint32_t at, const std::uint32_t* turns, const Cell* cells);

// Whether both are at the same instruction, in the same turns of the loops around it, and the same for each call that
// led there.
bool areTogether(const WalkState& state, const Group& group, std::uint32_t a, std::uint32_t b);
// Whether invocation a is earlier in the program than b: by wayOf().
bool isEarlier(const WalkState& state, const Group& group, std::uint32_t a, std::uint32_t b);
// The loops around an invocation, from the innermost on, including those of the functions that have called this one.
std::vector<std::uint32_t> loopsRound(const WalkState& state, const Group& group, std::uint32_t invocation);

}  // namespace a2::emulator
