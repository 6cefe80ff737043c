#include "spirv/EmulatorEmitter.h"

#include "a2/Error.h"
#include "spirv/SpirvNames.h"

#include <fmt/format.h>

namespace a2::emulator {

std::uint32_t Emitter::define(std::uint32_t id, std::uint32_t type)
{
    Meaning& meaning = declarations.meaning(id);
    meaning.kind = Meaning::Kind::value;
    meaning.type = type;
    meaning.cell = declarations.allocate(declarations.type(type).cells);
    return meaning.cell;
}

std::uint32_t Emitter::scalar(std::uint32_t id) const
{
    const Meaning& meaning = declarations.of(id);
    if (declarations.type(meaning.type).cells != 1)
        throw KernelError(fmt::format("this SPIR-V cannot be emulated: id {} is no single number", id));
    return meaning.cell;
}

void Emitter::push(const Instruction& one)
{
    code.instructions.push_back(one);
    code.places.push_back(place);
    code.functionOf.push_back(function);
}

void Emitter::pushLine(std::uint8_t kind)
{
    Instruction one;
    one.op = op::line;
    one.flags = kind;
    push(one);
}

void Emitter::unknown(const std::string& what)
{
    Instruction one;
    one.op = op::unknown;
    one.a = static_cast<std::uint32_t>(code.unknown.size());
    code.unknown.push_back(what);
    push(one);
}

void Emitter::unknown(SpirvWords words, const char* what)
{
    const std::string at = place.line == 0 ? fmt::format(" at word {}", words.at()) : "";
    unknown(fmt::format("{}{}{}, which the emulator does not know", opcodeName(words.opcode()), at, what));
}

}  // namespace a2::emulator
