// Which parts of SPIR-V a kernel may use: those whose accesses to memory a2 can follow and limit. A driver runs
// anything else that a module contains, a CPU driver even inside a2's own process; so all other parts are refused by
// name.
#pragma once

#include <cstdint>
#include <span>

namespace a2 {

// Throws a KernelError that names the first capability, extension, instruction set, addressing or memory model,
// execution mode, storage class or instruction that is not on the list. `words` need not be a valid module: unreadable
// parts are skipped, and checkSpirv() (SpirvCheck.h) finds them.
void refuseForeign(std::span<const std::uint32_t> words);

}  // namespace a2
