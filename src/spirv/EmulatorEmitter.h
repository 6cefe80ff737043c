// What all parts of the decoder share: the code that is made, what is declared, and where in the text they are.
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
    Place place;                 // of the instruction that is decoded
    std::uint32_t function = 0;  // that it is in

    // Cells for a value. Returns the first.
    std::uint32_t define(std::uint32_t id, std::uint32_t type);
    // The cell of a single number; throws KernelError for what is none.
    std::uint32_t scalar(std::uint32_t id) const;

    void push(const Instruction& one);
    void pushLine(std::uint8_t kind);
    // what: with the instruction's name, as the end of a sentence.
    void unknown(const std::string& what);
    void unknown(SpirvWords words, const char* what = "");
};

}  // namespace a2::emulator
