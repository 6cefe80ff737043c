// Which parts of SPIR-V a kernel may ask for: those whose accesses to memory a2 can follow and bound. A driver runs
// whatever else a module says, a CPU driver inside a2's own process, so that all the rest is refused by its name.
#pragma once

#include <cstdint>
#include <span>

namespace a2 {

// Throws KernelError that names the first capability, extension, set of instructions, addressing or memory model, way
// of execution, kind of memory or instruction that is not on the list. `words` need be no valid module: what cannot be
// read is passed over, and is for checkSpirv() (SpirvCheck.h) to find.
void refuseForeign(std::span<const std::uint32_t> words);

}  // namespace a2
