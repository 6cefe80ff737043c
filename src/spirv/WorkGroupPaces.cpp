// How an invocation's values change from one work-group to the next: so that it is known when work-groups between two
// equal ones can be taken for equal, too.

#include "spirv/WorkGroupRun.h"

#include <algorithm>

namespace a2 {

namespace {

bool compares(spv::Op opcode) { return opcode >= spv::OpLogicalEqual && opcode <= spv::OpFUnordGreaterThanEqual; }

}  // namespace

WorkGroupCheck::Run::Pace WorkGroupCheck::Run::paceOf(std::uint32_t id) const
{
    const auto& variable = flow_.variables_[id];
    if (variable.storage == spv::StorageClassInput) {
        const auto builtIn = flow_.declarations_.decoration(id, spv::DecorationBuiltIn);
        return builtIn == spv::BuiltInWorkgroupId || builtIn == spv::BuiltInGlobalInvocationId ? Pace::even
                                                                                               : Pace::same;
    }
    return paces_[id];
}

// Of an arithmetic operation on two values.
WorkGroupCheck::Run::Pace WorkGroupCheck::Run::combinedPace(spv::Op opcode, Pace x, Pace y)
{
    if (x == Pace::same && y == Pace::same) return Pace::same;
    const bool oneStays = x == Pace::same || y == Pace::same;
    const Pace faster = std::max(x, y);
    if (compares(opcode))
        return faster == Pace::even || (oneStays && faster == Pace::steady) ? Pace::even : Pace::uneven;
    switch (opcode) {
        case spv::OpIAdd:
        case spv::OpISub:
        case spv::OpExtInst:  // a minimum or maximum
            return faster == Pace::even || oneStays ? faster : Pace::uneven;
        case spv::OpIMul:
            return oneStays ? faster : Pace::uneven;
        case spv::OpShiftLeftLogical:
            return y == Pace::same ? x : Pace::uneven;
        case spv::OpUDiv:
        case spv::OpShiftRightLogical:
            return y == Pace::same && x != Pace::uneven ? Pace::steady : Pace::uneven;
        default:
            return Pace::uneven;
    }
}

// Of an instruction that was followed.
void WorkGroupCheck::Run::notePace(SpirvWords words)
{
    const auto ofAll = [&](SpirvWords ids) {
        Pace most = Pace::same;
        for (const std::uint32_t id : ids) most = std::max(most, paceOf(id));
        return most;
    };
    switch (words.opcode()) {
        case spv::OpVariable:
            kept_[words[2]] = words.size() > 4 ? paceOf(words[4]) : Pace::same;
            break;
        case spv::OpLoad: {
            const Pointer from = pointer(words[3]);
            paces_[words[2]] = std::max({paceOf(words[3]), paceOf(from.variable), kept_[from.variable]});
            break;
        }
        case spv::OpStore: {
            const Pointer to = pointer(words[1]);
            const Pace stored = paceOf(words[2]);
            kept_[to.variable] = to.whole ? stored : std::max(kept_[to.variable], stored);
            break;
        }
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            // Which element is looked at; what is found in memory that others write is not known anyway.
            paces_[words[2]] = own(pointer(words[3])) ? ofAll(words.from(4)) : Pace::same;
            break;
        case spv::OpExtInst:
            paces_[words[2]] = words.size() == 7 ? combinedPace(spv::OpExtInst, paceOf(words[5]), paceOf(words[6]))
                                                 : ofAll(words.from(5));
            break;
        case spv::OpSelect:
        case spv::OpCompositeConstruct:
        case spv::OpBitcast:
        case spv::OpCopyObject:
        case spv::OpLogicalNot:
            paces_[words[2]] = ofAll(words.from(3));
            break;
        case spv::OpCompositeExtract:
            paces_[words[2]] = paceOf(words[3]);
            break;
        default:
            if (words.size() == 5 && resultOf(words).id != 0 && words[3] < paces_.size() && words[4] < paces_.size())
                paces_[words[2]] = combinedPace(words.opcode(), paceOf(words[3]), paceOf(words[4]));
    }
}

}  // namespace a2
