// The instructions that do nothing but calculate, from cells into cells.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"

namespace a2::emulator {

using Freedom = EmulatorSettings::Freedom;

// What SPIR-V leaves undefined; inexact: to a few units in the last place;
// relaxed: beyond 16 bits.
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

// Numbers are IEEE's, one rounding per operation, but for what `freedom` makes of them.
Undefined calculate(const Code& code, const Instruction& one, Cell* cells, Mark* marks,
                    Freedom freedom = Freedom::usual);
// Of the set GLSL.std.450, whose number of the instruction is in `flags`.
void calculateGlsl(const Instruction& one, Cell* cells, Mark* marks);
bool knowsGlsl(std::uint32_t instruction);
bool isInexact(std::uint32_t instruction);  // of that set

float halfToFloat(std::uint16_t half);
std::uint16_t floatToHalf(float value);

// A number of 16, 32 or 64 bits from its cell and back. What is 16 bits wide is calculated as float and rounded once.
double realOf(Cell cell, unsigned width);
Cell cellOf(double value, unsigned width);

// The compiler may not contract what it is put round: volatile is what every compiler understands.
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
