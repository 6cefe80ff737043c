// The operands of those instructions that a2 reads (SPIR-V 1.x, section 3.42).
#pragma once

#include "spirv/SpirvModule.h"

#include <string>

namespace a2 {

// One word of an instruction, or a text of several words.
enum class SpirvOperand : char {
    resultType = 'T',
    result = 'R',
    type = 't',
    constant = 'c',
    value = 'v',
    pointer = 'p',
    phiValue = 'w',  // a value that may be defined later in the text
    label = 'L',
    function = 'f',
    functionType = 'F',
    instructionSet = 'x',
    id = 'i',  // of anything, defined or not
    literal = 'n',
    text = 's',
};

// Calls visit with each operand and the number of its first word. Of instructions that a2 does not read, only the
// result and its type are visited. Throws KernelError if an operand is missing, if there is one too many, or if a text
// has no end.
void forEachOperand(SpirvWords instruction, const std::function<void(SpirvOperand, std::size_t)>& visit);

// "word 123 (OpLoad)", of the instruction.
std::string placeOf(SpirvWords instruction);

}  // namespace a2
