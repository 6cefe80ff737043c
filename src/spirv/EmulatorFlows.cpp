#include "spirv/EmulatorFlows.h"

namespace a2::emulator {

namespace {

bool isBetween(std::uint16_t opcode, spv::Op first, spv::Op last) { return opcode >= first && opcode <= last; }

}  // namespace

bool takesOne(std::uint16_t opcode)
{
    return opcode == spv::OpNot || opcode == spv::OpLogicalNot || isBetween(opcode, spv::OpIsNan, spv::OpIsInf) ||
           isBetween(opcode, spv::OpSNegate, spv::OpFNegate) || isBetween(opcode, spv::OpConvertFToU, spv::OpFConvert);
}

bool takesTwo(std::uint16_t opcode)
{
    return isBetween(opcode, spv::OpIAdd, spv::OpFMod) || isBetween(opcode, spv::OpLogicalEqual, spv::OpLogicalAnd) ||
           isBetween(opcode, spv::OpIEqual, spv::OpFUnordGreaterThanEqual) ||
           isBetween(opcode, spv::OpShiftRightLogical, spv::OpBitwiseAnd);
}

bool isComparison(std::uint16_t opcode) { return isBetween(opcode, spv::OpIEqual, spv::OpSLessThanEqual); }

bool keepsLowBits(std::uint16_t opcode)
{
    switch (opcode) {
        case op::copy:
        case spv::OpNot:
        case spv::OpSNegate:
        case spv::OpIAdd:
        case spv::OpISub:
        case spv::OpIMul:
        case spv::OpBitwiseAnd:
        case spv::OpBitwiseOr:
        case spv::OpBitwiseXor:
        case spv::OpAtomicExchange:
        case spv::OpAtomicStore:
        case spv::OpAtomicIAdd:
        case spv::OpAtomicISub:
        case spv::OpAtomicIIncrement:
        case spv::OpAtomicIDecrement:
        case spv::OpAtomicAnd:
        case spv::OpAtomicOr:
        case spv::OpAtomicXor:
            return true;
        default:
            return false;
    }
}

}  // namespace a2::emulator
