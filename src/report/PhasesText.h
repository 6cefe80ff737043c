// The output of `a2 steps --phases` for a dispatch.
#pragma once

#include "judge/Steps.h"
#include "report/Text.h"

#include <bit>
#include <cstdint>
#include <string>

namespace a2 {

// step: one whose phases are known. For each phase: how many invocations were active and what it did, the barrier()
// that ended it, and the shared arrays that it changed, shown like buffers.
std::string phasesText(const Step& step, const ConsoleStyle& style);

// Calls `use` with a number of shared memory in its own type: a float, a signed integer, ... Returns the result of
// `use`. Kernels of int32 elements are those of uint.
template <class Use>
auto asNumber(const EmulatorSettings::SharedVariable& variable, std::uint64_t bits, const ElementType& element,
              const Use& use)
{
    const bool isSigned = variable.isSigned || (&element == &ElementType::int32 && variable.bits == 32);
    if (variable.isReal && variable.bits == 32) return use(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    if (variable.isReal && variable.bits == 64) return use(std::bit_cast<double>(bits));
    if (isSigned && variable.bits == 32) return use(static_cast<std::int32_t>(bits));
    if (variable.isSigned && variable.bits == 64) return use(static_cast<std::int64_t>(bits));
    return use(bits);
}

}  // namespace a2
