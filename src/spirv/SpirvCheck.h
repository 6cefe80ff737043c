// What SpirvModule promises about a module, checked.
#pragma once

#include <cstdint>
#include <span>

namespace a2 {

// Beside what SpirvModule.h says: pointers come of variables, their parts and parameters alone, and are no numbers to
// be worked with. What a module may ask for is SpirvAllowed.h's. Throws KernelError with what is wrong and where, as
// the end of a sentence about the module (SpirvModule.h says what).
void checkSpirv(std::span<const std::uint32_t> words);

}  // namespace a2
