// What all parts of the decoder share: the code made so far, the declarations, and the current place in the text.
#pragma once

#include "spirv/EmulatorCode.h"
#include "spirv/EmulatorTypes.h"

#include <string>

namespace a2::emulator {

class Emitter {
public:
    Emitter(const SpirvModule& module, const Specialisation& given) : declarations(module, given, code) {}
    Emitter(const Emitter&) = delete;  // the declarations refer to the code
    Emitter& operator=(const Emitter&) = delete;

    Code code;
    Declarations declarations;
    Place place;                 // of the current instruction
    std::uint32_t function = 0;  // that contains it

    // Allocates cells for a value. Returns the first.
    std::uint32_t define(std::uint32_t id, std::uint32_t type);
    // The cell of a single number; throws KernelError for anything else.
    std::uint32_t scalar(std::uint32_t id) const;

    void push(const Instruction& one);
    void pushLine(std::uint8_t kind);
    // what: includes the instruction's name; the end of a sentence.
    void unknown(const std::string& what);
    void unknown(SpirvWords words, const char* what = "");
};

}  // namespace a2::emulator
