// The instructions that only calculate: they read cells and write cells.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

namespace a2::emulator {

using Freedom = EmulatorSettings::Freedom;

// Why SPIR-V does not define a result exactly; inexact: it may err by a few units in the last place; relaxed: only 16
// bits are certain.
enum class Undefined : std::uint8_t {
    nothing,
    division,
    remainder,
    shift,
    conversion,
    bits,
    index,
    inexact,
    relaxed,
    denormal
};

// Numbers are IEEE's, with one rounding per operation, except for what `freedom` changes.
Undefined calculate(const Code& code, const Instruction& one, Cell* cells, Mark* marks,
                    Freedom freedom = Freedom::usual);
// For an instruction of the set GLSL.std.450; `flags` has its number.
void calculateGlsl(const Instruction& one, Cell* cells, Mark* marks);
bool knowsGlsl(std::uint32_t instruction);
bool isInexact(std::uint32_t instruction);  // of that set

float halfToFloat(std::uint16_t half);
std::uint16_t floatToHalf(float value);

// A number of 16, 32 or 64 bits, from and to its cell. 16-bit numbers are calculated as float and rounded once.
double realOf(Cell cell, unsigned width);
Cell cellOf(double value, unsigned width);

// Prevents the compiler from contracting the operation inside: every compiler understands volatile.
inline float rounded(float value)
{
    volatile float one = value;
    return one;
}
inline double rounded(double value)
{
    volatile double one = value;
    return one;
}

}  // namespace a2::emulator
