#include "spirv/SpirvIds.h"

#include "a2/Error.h"
#include "spirv/SpirvGrammar.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

bool isType(spv::Op opcode)
{
    return (opcode >= spv::OpTypeVoid && opcode <= spv::OpTypePipe) || opcode > spv::OpGroupNonUniformQuadSwap;
}

bool isConstant(spv::Op opcode)
{
    return opcode == spv::OpUndef || (opcode >= spv::OpConstantTrue && opcode <= spv::OpSpecConstantOp);
}

bool isScalar(spv::Op opcode)
{
    return opcode == spv::OpTypeBool || opcode == spv::OpTypeInt || opcode == spv::OpTypeFloat;
}

void refuse(SpirvWords where, const std::string& what) { throw KernelError(placeOf(where) + " " + what); }

SpirvIds::SpirvIds(std::span<const std::uint32_t> words) : words_(words)
{
    if (words_.size() < SpirvModule::headerWords) throw KernelError("it has no header");
    if (words_.size() > spirvLimits::words)
        throw KernelError(
            fmt::format("{} words are more than the {} that are read", words_.size(), std::size_t{spirvLimits::words}));
    if (words_[0] != spv::MagicNumber) throw KernelError("word 0 is not SPIR-V's magic number");
    if (words_[1] >> 16 != 1 || (words_[1] & 0xFF) != 0 || (words_[1] & 0xFF00) > 0x0600)
        throw KernelError(fmt::format("word 1, {:#x}, is no version of SPIR-V 1", words_[1]));
    if (words_[3] == 0 || words_[3] > spirvLimits::idBound)
        throw KernelError(
            fmt::format("word 3, {}, is no bound of ids (1 to {})", words_[3], std::uint32_t{spirvLimits::idBound}));
    if (words_[4] != 0) throw KernelError("word 4 is not 0");
    defined_.resize(words_[3]);
}

SpirvWords SpirvIds::instructionAt(std::size_t at) const
{
    const std::size_t length = words_[at] >> spv::WordCountShift;
    const SpirvWords one(words_.subspan(at, std::clamp<std::size_t>(length, 1, words_.size() - at)), at);
    if (length == 0) refuse(one, "has no length");
    if (length > one.size()) refuse(one, "goes on after the module's end");
    return one;
}

std::optional<SpirvWords> SpirvIds::definition(std::uint32_t id) const
{
    if (id >= defined_.size() || defined_[id] == 0) return {};
    return instructionAt(defined_[id]);
}

spv::Op SpirvIds::opcodeOf(std::uint32_t id) const
{
    const auto one = definition(id);
    return one ? one->opcode() : spv::OpNop;
}

std::uint32_t SpirvIds::typeOf(std::uint32_t id) const
{
    const auto one = definition(id);
    return one && one->opcode() != spv::OpFunction ? resultOf(*one).type : 0;
}

std::optional<std::uint32_t> SpirvIds::ofType(std::uint32_t type, spv::Op opcode, std::size_t word) const
{
    const auto one = definition(type);
    return one && one->opcode() == opcode ? std::optional((*one)[word]) : std::nullopt;
}

std::optional<std::uint32_t> SpirvIds::number(std::uint32_t constant) const
{
    const auto one = definition(constant);
    if (!one || one->opcode() != spv::OpConstant || opcodeOf((*one)[1]) != spv::OpTypeInt) return {};
    for (std::size_t i = 4; i < one->size(); ++i)
        if ((*one)[i] != 0) return UINT32_MAX;
    return (*one)[3];
}

void SpirvIds::define(SpirvWords one)
{
    forEachOperand(one, [&](SpirvOperand operand, std::size_t at) {
        if (operand == SpirvOperand::literal || operand == SpirvOperand::text) return;
        if (one[at] == 0 || one[at] >= defined_.size())
            refuse(one, fmt::format("names id {}, and ids are 1 to {}", one[at], defined_.size() - 1));
        if (operand != SpirvOperand::result) return;
        if (defined_[one[at]] != 0) refuse(one, fmt::format("defines id {} again", one[at]));
        defined_[one[at]] = static_cast<std::uint32_t>(one.at());
    });
}

}  // namespace a2
