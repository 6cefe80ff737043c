#include "spirv/EmulatorHandlers.h"

namespace a2::emulator {

namespace {

// For calculations with one number; the others take Handler::calculate.
Handler ofOneNumber(std::uint16_t opcode)
{
    switch (opcode) {
        case op::copy:
            return Handler::copy;
        case spv::OpIAdd:
            return Handler::add;
        case spv::OpISub:
            return Handler::subtract;
        case spv::OpIMul:
            return Handler::multiply;
        case spv::OpShiftLeftLogical:
            return Handler::shiftLeft;
        case spv::OpShiftRightLogical:
            return Handler::shiftRight;
        case spv::OpBitwiseAnd:
            return Handler::bitAnd;
        case spv::OpIEqual:
            return Handler::equal;
        case spv::OpINotEqual:
            return Handler::notEqual;
        case spv::OpULessThan:
            return Handler::less;
        case spv::OpULessThanEqual:
            return Handler::lessOrEqual;
        case spv::OpUGreaterThan:
            return Handler::greater;
        case spv::OpUGreaterThanEqual:
            return Handler::greaterOrEqual;
        case spv::OpSLessThan:
            return Handler::signedLess;
        default:
            return Handler::calculate;
    }
}

Handler ofMove(const Code& code, const Instruction& one)
{
    const bool loads = one.op == op::load, known = one.c != none && one.count == 1;
    switch (static_cast<Space>(one.flags)) {
        case Space::own:
            if (known) return loads ? Handler::loadOwn : Handler::storeOwn;
            break;
        case Space::push:
            if (known && loads && code.pieces[code.accesses[one.b].first].width == 32) return Handler::loadPushed;
            break;
        default:
            break;
    }
    return loads ? Handler::load : Handler::store;
}

Handler handlerOf(const Code& code, const Instruction& one)
{
    switch (one.op) {
        case op::load:
        case op::store:
            return ofMove(code, one);
        case op::chain:
            return code.chains[one.b].steps == 1 && !code.steps[one.c].descriptor ? Handler::index : Handler::chain;
        case op::arrayLength:
            return Handler::arrayLength;
        case op::branch:
            return Handler::branch;
        case op::branchIf:
            return Handler::branchIf;
        case op::branchOn:
            return Handler::branchOn;
        case op::enter:
            return Handler::enter;
        case op::call:
            return Handler::call;
        case op::leave:
            return Handler::leave;
        case op::end:
            return Handler::end;
        case op::unknown:
            return Handler::unknown;
        case op::groupBarrier:
            return Handler::groupBarrier;
        case op::print:
            return Handler::print;
        case op::line:
            return Handler::line;
        case spv::OpMemoryBarrier:
            return Handler::fence;
        case spv::OpReadClockKHR:
            return Handler::clock;
        default:
            if (isAtomic(one.op)) return Handler::atomic;
            if (isOfSubgroup(one.op)) return Handler::subgroup;
            return one.count == 1 ? ofOneNumber(one.op) : Handler::calculate;
    }
}

}  // namespace

void chooseHandlers(Code& code)
{
    for (Instruction& one : code.instructions) one.handler = handlerOf(code, one);
}

}  // namespace a2::emulator
