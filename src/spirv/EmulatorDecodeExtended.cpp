#include "spirv/EmulatorDecodeExtended.h"

#include "a2/Error.h"
#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorPrint.h"
#include "spirv/SpirvGrammar.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>
#include <spirv/unified1/GLSL.std.450.h>

#include <array>
#include <memory>

namespace a2::emulator {

namespace {

bool isSquare(const Type& type)
{
    return type.form == Form::matrix && type.count <= 4 && type.count * type.count == type.cells;
}

// How many operands the instruction must have; 0: its types do not fit it.
std::uint32_t glslOperands(std::uint32_t instruction, const Type& made, const Type& given)
{
    enum : std::uint32_t {
        pow = 26,
        atan2 = 25,
        fMin = 37,
        sMax = 42,
        fClamp = 43,
        sClamp = 45,
        mix = 46,
        step = 48,
        smoothStep = 49,
        fma = 50,
        frexpStruct = 52,
        modfStruct = 36,
        ldexp = 53,
        pack = 54,
        packDouble = 59,
        unpack = 60,
        unpackDouble = 65,
        length = 66,
        distance = 67,
        cross = 68,
        normalize = 69,
        faceForward = 70,
        reflect = 71,
        nMin = 79,
        nMax = 80,
        nClamp = 81
    };
    if (instruction >= pack && instruction <= packDouble) {
        const std::uint32_t parts = instruction <= pack + 1 ? 4 : 2;
        return made.cells == 1 && given.cells == parts ? 1 : 0;
    }
    if (instruction >= unpack && instruction <= unpackDouble) {
        static constexpr std::array<std::uint32_t, 6> parts = {2, 2, 2, 4, 4, 2};
        return given.cells == 1 && made.cells == parts.at(instruction - unpack) ? 1 : 0;
    }
    if (instruction == frexpStruct || instruction == modfStruct) return made.cells == 2 * given.cells ? 1 : 0;
    if (instruction == GLSLstd450Determinant) return isSquare(given) && made.cells == 1 ? 1 : 0;
    if (instruction == GLSLstd450MatrixInverse) return isSquare(given) && made.cells == given.cells ? 1 : 0;
    if (instruction == length) return made.cells == 1 ? 1 : 0;
    if (instruction == distance) return made.cells == 1 ? 2 : 0;
    if (instruction == cross) return made.cells == 3 && given.cells == 3 ? 2 : 0;
    if (made.cells != given.cells) return 0;
    const bool three = (instruction >= fClamp && instruction <= sClamp) || instruction == mix ||
                       instruction == smoothStep || instruction == fma || instruction == faceForward ||
                       instruction == nClamp || instruction == GLSLstd450Refract;
    const bool two = instruction == pow || instruction == atan2 || (instruction >= fMin && instruction <= sMax) ||
                     instruction == step || instruction == ldexp || instruction == reflect || instruction == nMin ||
                     instruction == nMax;
    return three ? 3 : two ? 2 : 1;
}

}  // namespace

void ExtendedDecoder::decode(SpirvWords words)
{
    if (out_.declarations.isSilent(words[3])) {
        if (prints_ && out_.declarations.isPrint(words)) print(words);
        return;
    }
    if (!out_.declarations.isGlsl(words[3]))
        return out_.unknown(fmt::format("instruction {} of the set {}, which the emulator does not know", words[4],
                                        out_.declarations.name(words[3])));
    if (!knowsGlsl(words[4]))
        return out_.unknown(fmt::format("{} of GLSL.std.450, which the emulator does not know", glslName(words[4])));
    const bool splits = words[4] == GLSLstd450Modf || words[4] == GLSLstd450Frexp;
    if (splits) return split(words);
    const Meaning& made = out_.declarations.of(words[2]);
    const Type& type = out_.declarations.type(made.type);
    const SpirvWords operands = words.from(5);
    Instruction one;
    one.op = op::glsl;
    one.flags = static_cast<std::uint8_t>(words[4]);
    one.result = made.cell;
    const Meaning& first = out_.declarations.of(operands[0]);
    const Type& given = out_.declarations.type(first.type);
    one.count = given.cells;
    one.width = static_cast<std::uint8_t>(out_.declarations.type(given.scalar).bits);
    if (one.width == 0) throw KernelError("this SPIR-V cannot be emulated: a function of GLSL takes no numbers");
    one.a = first.cell;
    one.b = operands.size() > 1 ? out_.declarations.of(operands[1]).cell : one.a;
    one.c = operands.size() > 2 ? out_.declarations.of(operands[2]).cell : one.a;
    const std::uint32_t cells = glslOperands(words[4], type, given);
    bool fits = cells > 0 && operands.size() >= cells && operands.size() <= 3;
    for (std::size_t i = 1; i < operands.size() && fits; ++i) {
        const Type& other = out_.declarations.typeOf(operands[i]);
        const bool eta = words[4] == GLSLstd450Refract && i == 2;
        fits =
            other.cells == (eta ? 1 : given.cells) && (!eta || out_.declarations.type(other.scalar).bits == one.width);
    }
    if (!fits) throw KernelError(placeOf(words) + " cannot be emulated: it takes other numbers");
    out_.push(one);
}

void ExtendedDecoder::print(SpirvWords words)
{
    std::vector<PrintArgument> arguments;
    for (const std::uint32_t id : words.from(6)) {
        const Meaning& meaning = out_.declarations.of(id);
        const Type& type = out_.declarations.type(meaning.type);
        const Type& number = type.form == Form::vector ? out_.declarations.type(type.element) : type;
        arguments.push_back({meaning.cell, type.cells, number.form, number.bits, number.isSigned});
    }
    Instruction one;
    one.op = op::print;
    one.a = static_cast<std::uint32_t>(out_.code.prints.size());
    out_.code.prints.push_back(std::make_shared<Print>(printOf(out_.declarations.text(words[5]), arguments)));
    out_.push(one);
}

void ExtendedDecoder::split(SpirvWords words)
{
    const Meaning made = out_.declarations.of(words[2]), given = out_.declarations.of(words[5]);
    const Type& type = out_.declarations.type(given.type);
    const auto access = pointers_.accessOf(words[6], false);
    if (!access || out_.code.accesses[*access].cells != type.cells) return out_.unknown(words, " of a type");
    if (out_.declarations.type(made.type).cells != type.cells || out_.declarations.type(type.scalar).form != Form::real)
        throw KernelError(placeOf(words) + " cannot be emulated: it takes other numbers");
    Instruction one;
    one.op = op::glsl;
    one.flags = words[4] == GLSLstd450Modf ? GLSLstd450ModfStruct : GLSLstd450FrexpStruct;
    one.count = type.cells;
    one.width = static_cast<std::uint8_t>(out_.declarations.type(type.scalar).bits);
    one.result = out_.declarations.allocate(2 * std::uint64_t{type.cells});
    one.a = one.b = one.c = given.cell;
    out_.push(one);
    const std::uint32_t both = one.result;
    one = {};
    one.op = op::copy;
    one.result = made.cell;
    one.a = both;
    one.count = type.cells;
    out_.push(one);
    pointers_.move(false, words[6], *access, both + type.cells);
}

}  // namespace a2::emulator
