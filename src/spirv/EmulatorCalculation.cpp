// Decodes instructions that only calculate: which cells they read and write, and whether these fit together.

#include "a2/Error.h"
#include "spirv/EmulatorArithmetic.h"
#include "spirv/EmulatorTypes.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

[[noreturn]] void refuseOperand(std::uint32_t opcode, const char* what)
{
    throw KernelError(fmt::format("this SPIR-V cannot be emulated: an instruction of opcode {} {}", opcode, what));
}

}  // namespace

void calculateConstant(Code& code, const Instruction& one)
{
    calculate(code, one, code.frame.data(), code.marks.data());
}

unsigned Declarations::widthOf(const Type& one) const { return type(one.scalar).bits; }

std::uint32_t Declarations::operand(std::uint32_t id, std::uint32_t cells) const
{
    const Meaning& meaning = of(id);
    const Type& its = type(meaning.type);
    if (its.cells != cells || its.form == Form::pointer)
        throw KernelError(fmt::format("this SPIR-V cannot be emulated: id {} has {} numbers where {} are taken", id,
                                      its.cells, cells));
    return meaning.cell;
}

// The cell of a composite to which these indices lead; sets `whole` to the part's type.
std::uint32_t Declarations::part(const Type*& whole, SpirvWords indices) const
{
    std::uint64_t cell = 0;
    for (const std::uint32_t index : indices) {
        if (whole->form == Form::structure) {
            if (index >= whole->members.size()) refuseOperand(spv::OpCompositeExtract, "asks for no part");
            cell += whole->members[index].cell;
            whole = &type(whole->members[index].type);
        } else {
            if (index >= whole->count) refuseOperand(spv::OpCompositeExtract, "asks for no part");
            const Type& element = type(whole->element);
            cell += std::uint64_t{element.cells} * index;
            whole = &element;
        }
    }
    return static_cast<std::uint32_t>(cell);
}

bool Declarations::composite(std::uint32_t opcode, const Type& made, std::uint32_t result, SpirvWords operands,
                             std::vector<Instruction>& out)
{
    const auto copy = [&](std::uint32_t to, std::uint32_t from, std::uint32_t cells) {
        Instruction one;
        one.op = op::copy;
        one.result = to;
        one.a = from;
        one.count = cells;
        if (cells > 0) out.push_back(one);
    };
    switch (opcode) {
        case spv::OpCopyObject:
        case spv::OpExpectKHR:  // the other operand is what the author expects
        case spv::OpCopyLogical: {
            const Meaning& from = of(operands[0]);
            if (type(from.type).cells != made.cells) refuseOperand(opcode, "copies another type");
            copy(result, from.cell, made.cells);
            if (made.form == Form::pointer && from.type != meanings_[operands[0]].type) return false;
            return true;
        }
        case spv::OpCompositeExtract: {
            const Meaning& from = of(operands[0]);
            const Type* whole = &type(from.type);
            if (whole->form == Form::pointer) return false;
            const std::uint32_t cell = part(whole, operands.from(1));
            if (whole->cells != made.cells) refuseOperand(opcode, "takes out another type");
            copy(result, from.cell + cell, made.cells);
            return true;
        }
        case spv::OpCompositeInsert: {
            const Meaning &object = of(operands[0]), &from = of(operands[1]);
            if (type(from.type).cells != made.cells || from.type == 0) refuseOperand(opcode, "puts into another type");
            const Type* whole = &made;
            const std::uint32_t cell = part(whole, operands.from(2));
            if (whole->cells != type(object.type).cells) refuseOperand(opcode, "puts in another type");
            copy(result, from.cell, made.cells);
            copy(result + cell, object.cell, whole->cells);
            return true;
        }
        case spv::OpCompositeConstruct: {
            std::uint64_t cells = 0;
            for (const std::uint32_t id : operands) cells += type(of(id).type).cells;
            if (cells != made.cells) refuseOperand(opcode, "has other parts than its type");
            std::uint32_t at = result;
            for (const std::uint32_t id : operands) {
                const Meaning& from = of(id);
                copy(at, from.cell, type(from.type).cells);
                at += type(from.type).cells;
            }
            return true;
        }
        case spv::OpVectorShuffle: {
            const Meaning &first = of(operands[0]), &second = of(operands[1]);
            const std::uint32_t ofFirst = type(first.type).cells, ofSecond = type(second.type).cells;
            const SpirvWords chosen = operands.from(2);
            if (chosen.size() != made.cells) refuseOperand(opcode, "has another number of components");
            Instruction one;
            one.op = op::gather;
            one.result = result;
            one.a = static_cast<std::uint32_t>(code_.lists.size());
            one.count = made.cells;
            for (const std::uint32_t component : chosen) {
                if (component == none)
                    code_.lists.push_back(unsetCell());
                else if (component < ofFirst)
                    code_.lists.push_back(first.cell + component);
                else if (component - ofFirst < ofSecond)
                    code_.lists.push_back(second.cell + component - ofFirst);
                else
                    refuseOperand(opcode, "chooses no component");
            }
            out.push_back(one);
            return true;
        }
        default:
            return false;
    }
}

bool Declarations::matrixProduct(std::uint32_t opcode, const Type& made, Instruction one, SpirvWords operands,
                                 std::vector<Instruction>& out)
{
    const Type& left = type(of(operands[0]).type);
    const bool two = operands.size() > 1;
    const Type& right = two ? type(of(operands[1]).type) : left;
    one.a = of(operands[0]).cell;
    one.b = two ? of(operands[1]).cell : one.a;
    one.width = static_cast<std::uint8_t>(widthOf(left));
    const auto rowsOf = [&](const Type& matrix) {
        return matrix.form == Form::matrix ? type(matrix.element).cells : 0;
    };
    bool fits = widthOf(left) == widthOf(right) && widthOf(left) >= 16;
    std::uint32_t rows = 0;
    switch (opcode) {
        case spv::OpDot:
            one.count = left.cells;
            fits = fits && left.cells == right.cells && made.cells == 1;
            break;
        case spv::OpVectorTimesMatrix:
            rows = rowsOf(right);
            one.count = right.count;
            fits = fits && left.cells == rows && made.cells == right.count;
            break;
        case spv::OpMatrixTimesVector:
            rows = rowsOf(left);
            one.count = left.count;
            fits = fits && right.cells == left.count && made.cells == rows;
            break;
        case spv::OpMatrixTimesMatrix:
            rows = rowsOf(left);
            one.count = right.count;
            one.c = left.count;
            fits = fits && rowsOf(right) == left.count && made.cells == rows * right.count;
            break;
        case spv::OpOuterProduct:
            rows = left.cells;
            one.count = right.cells;
            fits = fits && left.form == Form::vector && right.form == Form::vector && made.cells == rows * right.cells;
            break;
        default:  // OpTranspose
            rows = rowsOf(left);
            one.count = left.count;
            fits = fits && made.cells == left.cells;
    }
    if (!fits || (opcode != spv::OpDot && rows == 0)) refuseOperand(opcode, "takes other matrices or vectors");
    one.flags = static_cast<std::uint8_t>(rows);
    out.push_back(one);
    return true;
}

bool Declarations::calculation(std::uint32_t opcode, std::uint32_t resultType, std::uint32_t result,
                               SpirvWords operands, std::vector<Instruction>& out)
{
    const Type& made = type(resultType);
    if (made.cells == 0 || made.cells > limits::frameCells) return false;
    if (composite(opcode, made, result, operands, out)) return true;
    if (made.form == Form::pointer && opcode != spv::OpSelect) return false;

    Instruction one;
    one.op = static_cast<std::uint16_t>(opcode);
    one.result = result;
    one.count = made.cells;
    const std::uint32_t n = made.cells;
    const auto width = [&](std::uint32_t id) {
        const unsigned bits = widthOf(type(of(id).type));
        if (bits == 0) refuseOperand(opcode, "takes what are no numbers");
        return static_cast<std::uint8_t>(bits);
    };
    const auto unary = [&] {
        one.a = operand(operands[0], n);
        one.width = width(operands[0]);
    };
    const auto binary = [&] {
        unary();
        one.b = operand(operands[1], n);
    };
    const auto converted = [&] {
        unary();
        const unsigned to = widthOf(made);
        if (to == 0) refuseOperand(opcode, "makes what are no numbers");
        one.flags = static_cast<std::uint8_t>(to);
    };
    const auto isReal = [&](std::uint32_t id) { return type(type(of(id).type).scalar).form == Form::real; };
    switch (opcode) {
        case spv::OpNot:
        case spv::OpSNegate:
        case spv::OpLogicalNot:
        case spv::OpBitReverse:
        case spv::OpBitCount:
            unary();
            break;
        case spv::OpFNegate:
        case spv::OpIsNan:
        case spv::OpIsInf:
        case spv::OpQuantizeToF16:
            unary();
            if (!isReal(operands[0])) refuseOperand(opcode, "takes what is no float");
            break;
        case spv::OpIAdd:
        case spv::OpISub:
        case spv::OpIMul:
        case spv::OpUDiv:
        case spv::OpSDiv:
        case spv::OpUMod:
        case spv::OpSRem:
        case spv::OpSMod:
        case spv::OpShiftLeftLogical:
        case spv::OpShiftRightLogical:
        case spv::OpShiftRightArithmetic:
        case spv::OpBitwiseAnd:
        case spv::OpBitwiseOr:
        case spv::OpBitwiseXor:
        case spv::OpLogicalEqual:
        case spv::OpLogicalNotEqual:
        case spv::OpLogicalAnd:
        case spv::OpLogicalOr:
        case spv::OpIEqual:
        case spv::OpINotEqual:
        case spv::OpULessThan:
        case spv::OpULessThanEqual:
        case spv::OpUGreaterThan:
        case spv::OpUGreaterThanEqual:
        case spv::OpSLessThan:
        case spv::OpSLessThanEqual:
        case spv::OpSGreaterThan:
        case spv::OpSGreaterThanEqual:
            binary();
            break;
        case spv::OpFAdd:
        case spv::OpFSub:
        case spv::OpFMul:
        case spv::OpFDiv:
        case spv::OpFRem:
        case spv::OpFMod:
        case spv::OpFOrdEqual:
        case spv::OpFUnordEqual:
        case spv::OpFOrdNotEqual:
        case spv::OpFUnordNotEqual:
        case spv::OpFOrdLessThan:
        case spv::OpFUnordLessThan:
        case spv::OpFOrdGreaterThan:
        case spv::OpFUnordGreaterThan:
        case spv::OpFOrdLessThanEqual:
        case spv::OpFUnordLessThanEqual:
        case spv::OpFOrdGreaterThanEqual:
        case spv::OpFUnordGreaterThanEqual:
            binary();
            if (!isReal(operands[0]) || width(operands[0]) != width(operands[1]))
                refuseOperand(opcode, "takes what is no float");
            break;
        case spv::OpAny:
        case spv::OpAll:
            one.count = type(of(operands[0]).type).cells;
            one.a = operand(operands[0], one.count);
            if (n != 1) refuseOperand(opcode, "gives one bool");
            break;
        case spv::OpSelect: {
            const Meaning &yes = of(operands[1]), &no = of(operands[2]), &condition = of(operands[0]);
            const std::uint32_t conditions = type(condition.type).cells;
            if (yes.type != resultType || no.type != resultType || (conditions != 1 && conditions != n))
                refuseOperand(opcode, "chooses between other types");
            one.a = yes.cell;
            one.b = no.cell;
            one.c = condition.cell;
            one.flags = conditions > 1;
            break;
        }
        case spv::OpIAddCarry:
        case spv::OpISubBorrow:
        case spv::OpUMulExtended:
        case spv::OpSMulExtended:
            if (n % 2 != 0) refuseOperand(opcode, "gives no two results");
            one.count = n / 2;
            one.a = operand(operands[0], n / 2);
            one.b = operand(operands[1], n / 2);
            one.width = width(operands[0]);
            break;
        case spv::OpBitFieldSExtract:
        case spv::OpBitFieldUExtract:
            unary();
            one.b = operand(operands[1], 1);
            one.c = operand(operands[2], 1);
            break;
        case spv::OpBitFieldInsert: {
            binary();
            one.c = allocate(2);  // offset and count, side by side
            one.flags = 1;
            for (std::uint32_t i = 0; i < 2; ++i) {
                Instruction beside;
                beside.op = op::copy;
                beside.result = one.c + i;
                beside.a = operand(operands[2 + i], 1);
                beside.count = 1;
                out.push_back(beside);
            }
            break;
        }
        case spv::OpConvertFToU:
        case spv::OpConvertFToS:
        case spv::OpFConvert:
            converted();
            if (!isReal(operands[0])) refuseOperand(opcode, "takes what is no float");
            break;
        case spv::OpConvertSToF:
        case spv::OpConvertUToF:
            converted();
            if (type(made.scalar).form != Form::real) refuseOperand(opcode, "gives what is no float");
            break;
        case spv::OpUConvert:
        case spv::OpSConvert:
            converted();
            break;
        case spv::OpBitcast: {
            const Type& from = type(of(operands[0]).type);
            const unsigned bits = widthOf(from), to = widthOf(made);
            if (bits < 8 || to < 8 || from.cells > 64 || from.cells * bits != n * to || from.form == Form::pointer)
                return false;
            one.op = op::bits;
            one.count = from.cells;
            one.a = of(operands[0]).cell;
            one.width = static_cast<std::uint8_t>(bits);
            one.flags = static_cast<std::uint8_t>(to);
            break;
        }
        case spv::OpVectorExtractDynamic:
            one.op = op::extractAt;
            one.count = type(of(operands[0]).type).cells;
            one.a = operand(operands[0], one.count);
            one.b = operand(operands[1], 1);
            if (n != 1) refuseOperand(opcode, "gives one component");
            break;
        case spv::OpVectorInsertDynamic:
            one.op = op::insertAt;
            one.a = operand(operands[0], n);
            one.b = operand(operands[1], 1);
            one.c = operand(operands[2], 1);
            break;
        case spv::OpVectorTimesScalar:
        case spv::OpMatrixTimesScalar:
            unary();
            one.b = operand(operands[1], 1);
            if (!isReal(operands[0]) || !isReal(operands[1])) refuseOperand(opcode, "takes what is no float");
            break;
        case spv::OpDot:
        case spv::OpVectorTimesMatrix:
        case spv::OpMatrixTimesVector:
        case spv::OpMatrixTimesMatrix:
        case spv::OpOuterProduct:
        case spv::OpTranspose:
            return matrixProduct(opcode, made, one, operands, out);
        default:
            return false;
    }
    out.push_back(one);
    return true;
}

}  // namespace a2::emulator
