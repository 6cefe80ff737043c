#include "spirv/SpirvDeclarationCheck.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace a2 {

namespace {

bool isMain(SpirvWords one)
{
    constexpr std::uint32_t main = 'm' | 'a' << 8 | 'i' << 16 | 'n' << 24;
    return one[3] == main && one.size() > 4 && (one[4] & 0xFF) == 0;
}

}  // namespace

void DeclarationCheck::survey(SpirvWords one)
{
    const spv::Op opcode = one.opcode();
    if (opcode == spv::OpConstantComposite || opcode == spv::OpSpecConstantComposite ||
        opcode == spv::OpCompositeConstruct)
        hasRoom(one);
    if (opcode == spv::OpMemberDecorate || opcode == spv::OpMemberName) {
        auto& most = namedMembers_[one[1]];
        most = std::max(most, std::uint64_t{one[2]} + 1);
    }
}

// If a compiler writes more parts than fit, their number keeps only its low bits, and the rest makes no sense.
void DeclarationCheck::hasRoom(SpirvWords one) const
{
    constexpr std::uint32_t most = UINT16_MAX - 3;
    const auto length = ids_.ofType(one[1], spv::OpTypeArray, 3);
    const std::uint32_t parts = length ? ids_.number(*length).value_or(0) : 0;
    if (parts > most)
        refuse(one, fmt::format("makes an array of {} values, and an instruction of SPIR-V has room for {}: put the "
                                "table into a buffer, or into several arrays",
                                parts, most));
}

void DeclarationCheck::check(SpirvWords one)
{
    switch (one.opcode()) {
        case spv::OpMemberName:
            if (ids_.opcodeOf(one[1]) != spv::OpTypeStruct) refuse(one, "is about what has no members");
            break;
        case spv::OpExecutionMode:
            if (main_ != one[1]) refuse(one, "is not about main()");
            if (one[2] == spv::ExecutionModeLocalSize && one.size() != 6) refuse(one, "has no three sizes");
            break;
        case spv::OpEntryPoint:
            if (one[1] != spv::ExecutionModelGLCompute || !isMain(one) || main_ != 0)
                refuse(one, "is not the one compute shader main()");
            main_ = one[2];
            break;
        case spv::OpTypeInt:
        case spv::OpTypeFloat:
            if (one[2] != 8 && one[2] != 16 && one[2] != 32 && one[2] != 64)
                refuse(one, fmt::format("has {} bits", one[2]));
            break;
        case spv::OpTypeVector:
            if (!isScalar(ids_.opcodeOf(one[2])) || one[3] < 2 || one[3] > 4)
                refuse(one, fmt::format("is no vector of 2 to 4 numbers but of {}", one[3]));
            break;
        case spv::OpTypeMatrix:
            if (ids_.opcodeOf(one[2]) != spv::OpTypeVector || one[3] < 2 || one[3] > 4)
                refuse(one, "is no matrix of 2 to 4 vectors");
            break;
        case spv::OpTypePointer:
            if (one[2] > UINT16_MAX) refuse(one, fmt::format("leads to memory {}, which there is not", one[2]));
            break;
        case spv::OpTypeArray:
        case spv::OpTypeRuntimeArray:
        case spv::OpTypeStruct:
            nest(one);
            break;
        case spv::OpTypeFunction:
            if (one.size() - 3 > spirvLimits::parameters) refuse(one, "has too many parameters");
            break;
        case spv::OpConstant:
        case spv::OpSpecConstant:
            scalarConstant(one);
            break;
        case spv::OpConstantComposite:
        case spv::OpSpecConstantComposite:
            composite(one);
            break;
        case spv::OpSpecConstantOp:
            operation(one);
            break;
        default:
            break;
    }
}

// How deeply arrays and structures are nested, and how many members they have in all.
void DeclarationCheck::nest(SpirvWords one)
{
    Extent extent;
    const bool structure = one.opcode() == spv::OpTypeStruct;
    if (structure) extent.members = 0;
    for (const std::uint32_t type : structure ? one.from(2) : one.from(2, 1)) {
        const spv::Op opcode = ids_.opcodeOf(type);
        if (opcode == spv::OpTypeVoid || opcode == spv::OpTypeFunction)
            refuse(one, fmt::format("has id {} as a part, which is no data", type));
        const auto found = extents_.find(type);
        const Extent part = found == extents_.end() ? Extent() : found->second;
        extent.nesting = std::max(extent.nesting, part.nesting + 1);
        if (structure) extent.members += std::max<std::size_t>(part.members, 1);
    }
    if (extent.nesting > spirvLimits::structureNesting)
        refuse(one, fmt::format("is nested deeper than {}", std::size_t{spirvLimits::structureNesting}));
    if (extent.members > spirvLimits::structureMembers)
        refuse(one, fmt::format("has more than {} members", std::size_t{spirvLimits::structureMembers}));
    extents_[one[1]] = extent;
    if (structure) {
        const auto named = namedMembers_.find(one[1]);
        if (named != namedMembers_.end() && named->second > one.size() - 2)
            refuse(one, fmt::format("has no member {}, which is described", named->second - 1));
    }
    if (one.opcode() == spv::OpTypeArray) {
        if (ids_.opcodeOf(ids_.typeOf(one[3])) != spv::OpTypeInt) refuse(one, "has a length that is no whole number");
        if (ids_.number(one[3]) == 0U) refuse(one, "has no elements");
        if (!ids_.number(one[3]) && ids_.ofType(ids_.typeOf(one[3]), spv::OpTypeInt, 2) != 32U)
            refuse(one, "has a length that depends on constants, and is not of 32 bits");
    }
}

void DeclarationCheck::scalarConstant(SpirvWords one) const
{
    const auto type = ids_.definition(one[1]);
    const bool isNumber =
        type && (type->opcode() == spv::OpTypeInt || type->opcode() == spv::OpTypeFloat) && type->size() > 2;
    if (!isNumber || one.size() != ((*type)[2] > 32 ? 5U : 4U)) refuse(one, "is no number of its type");
}

void DeclarationCheck::composite(SpirvWords one) const
{
    const auto type = ids_.definition(one[1]);
    const std::size_t parts = one.size() - 3;
    std::optional<std::size_t> wanted;
    switch (type->opcode()) {
        case spv::OpTypeVector:
        case spv::OpTypeMatrix:
            wanted = (*type)[3];
            break;
        case spv::OpTypeStruct:
            wanted = type->size() - 2;
            break;
        case spv::OpTypeArray:
            wanted = ids_.number((*type)[3]);
            if (!wanted) return;  // the number depends on the specialisation
            break;
        default:
            refuse(one, "has parts, and its type has none");
    }
    if (parts != wanted) refuse(one, fmt::format("has {} parts, and its type has {}", parts, *wanted));
}

// An operation on constants: its operands are constants, except the component numbers.
void DeclarationCheck::operation(SpirvWords one) const
{
    const auto constants = [&](std::size_t first, std::size_t count) {
        for (std::size_t i = first; i < first + count; ++i) {
            if (i >= one.size()) refuse(one, "lacks an operand");
            if (ids_.placeOfId(one[i]) >= one.at() || !isConstant(ids_.opcodeOf(one[i])))
                refuse(one, fmt::format("takes id {} for a constant", one[i]));
        }
    };
    const std::uint32_t operation = one[3];
    switch (operation) {
        case spv::OpCompositeExtract:
            if (one.size() < 6) refuse(one, "lacks an operand");
            return;
        case spv::OpCompositeInsert:
        case spv::OpVectorShuffle:
            return constants(4, 2);
        case spv::OpSelect:
            return constants(4, 3);
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
        case spv::OpPtrAccessChain:
        case spv::OpInBoundsPtrAccessChain:
            return constants(4, one.size() - 4);
        default:
            break;
    }
    const bool unary = (operation >= spv::OpConvertFToU && operation <= spv::OpFNegate) ||
                       operation == spv::OpLogicalNot || operation == spv::OpNot;
    const bool binary = (operation >= spv::OpIAdd && operation <= spv::OpFMod) ||
                        (operation >= spv::OpLogicalEqual && operation <= spv::OpLogicalAnd) ||
                        (operation >= spv::OpIEqual && operation <= spv::OpBitwiseAnd);
    if (!unary && !binary) refuse(one, fmt::format("asks for opcode {} of constants", one[3]));
    if (one.size() != (unary ? 5U : 6U)) refuse(one, "has the wrong number of operands");
    constants(4, one.size() - 4);
}

}  // namespace a2
