// Checks what SpirvModule promises about a module.
#pragma once

#include <cstdint>
#include <span>

namespace a2 {

// Also checks, besides what SpirvModule.h lists, that pointers only come from variables, their parts and parameters,
// and are not used as numbers. SpirvAllowed.h says what a module may use. Throws a KernelError with what is wrong and
// where, as the end of a sentence about the module.
void checkSpirv(std::span<const std::uint32_t> words);

}  // namespace a2
