// debugPrintfEXT() in a kernel that the emulator walks (GLSL_EXT_debug_printf, NonSemantic.DebugPrintf).
#pragma once

#include "spirv/EmulatorCode.h"

#include <string>
#include <string_view>
#include <vector>

namespace a2::emulator {

struct Actor;
struct WalkState;
class Faults;

// An argument, and how its cells are to be read.
struct PrintArgument {
    std::uint32_t cell = 0, count = 0;  // count: of numbers
    Form form = Form::nothing;          // of each: number, real or boolean
    std::uint32_t bits = 0;
    bool isSigned = false;
};

// A text, and the value after it, if any.
struct PrintPiece {
    std::string text;
    std::string conversion;  // as for printf(), without a length: "%08x"; empty: none
    PrintArgument argument;
};

struct Print {
    std::vector<PrintPiece> pieces;
    std::string problem;  // the end of a sentence about the format; empty: it is right
};

// Translates a format and its values. Conversions: %d %i %u %o %x %X %a %e %f %g, with flags, a width and a precision
// of up to two digits; %lu and the like for 64 bits, also %ul; %v2 to %v4 before them, for a vector; %%.
Print printOf(std::string_view format, const std::vector<PrintArgument>& arguments);

// The text that one invocation prints. A value that was never set is "?".
std::string printedText(const Print& print, const Cell* cells, const Mark* marks);

// Executes a debugPrintfEXT(): EmulatorSettings::printed gets its text.
void print(const WalkState& state, const Faults& faults, const Instruction& one, const Actor& actor);

}  // namespace a2::emulator
