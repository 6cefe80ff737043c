#include "spirv/EmulatorRaceCures.h"

#include "spirv/EmulatorDecode.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

constexpr int deepestIndex = 8;  // operations in one that are compared

// What to do if one of the two accesses is an atomic already; else empty.
std::string cureBesideAtomic(std::uint16_t one, std::uint16_t other)
{
    if (isAtomic(one) == isAtomic(other)) return "";
    const char* does = (isAtomic(one) ? other : one) == op::store
                           ? "write it by an atomic, too, such as atomicExchange()"
                           : "read it by an atomic, too, such as atomicOr(it, 0)";
    return fmt::format("{}, or do that in another dispatch", does);
}

}  // namespace

std::string RaceCures::of(const KernelFinding& found, const Actor& actor, const Use& other, Kept kept,
                          const AccessWays& ways, bool twice) const
{
    const std::uint16_t op = state_.code.instructions[actor.at].op, otherOp = state_.code.instructions[other.at].op;
    const bool sameGroup = found.actor.group == found.otherActor.group;
    const bool bothWrite = ways.writes && otherOp == op::store;
    const auto& groups = state_.dispatch.groups;
    const std::uint64_t layer = std::uint64_t{groups[0]} * groups[1];
    if (!sameGroup && groups[2] > 1 && found.actor.group % layer == found.otherActor.group % layer)
        return fmt::format(
            "the dispatch has {} work-groups along z, which workGroupNumber() does not count: dispatch "
            "1 along z",
            groups[2]);
    if (!sameGroup && countsAlongXOnly(found))
        return "the dispatch is folded over x and y: count work-groups by workGroupNumber() and invocations by "
               "invocationNumber()";
    // In each invocation, too: a barrier before and after leaves it as it is.
    if (sameGroup && storesWhole(ways.writes ? actor.at : other.at))
        return fmt::format(
            "each invocation writes the whole of '{}' there, as a call does that has it as an inout parameter: let the "
            "function use the array itself",
            found.variable);
    if (writesBack(actor.at, other.at)) {
        // In a loop, or in a function that one may call, a barrier() may belong between two turns; not if the data say
        // who meets whom, and not between work-groups.
        const bool turns = state_.code.loopOf[actor.at] != none || state_.code.functionOf[actor.at] != 0;
        const char* const which = sameGroup ? "invocation" : "work-group";
        if (!turns || !sameGroup || isIndexedByData(actor))
            return fmt::format(
                "it is read and written back, and others come in between: let one atomic, such as atomicAdd(), do "
                "both, or let each {} have elements of its own",
                which);
        if (kept == Kept::shared)
            return "put a barrier() between the two accesses, outside every condition; or, if they are in the same "
                   "turn of a loop, let one atomic, such as atomicAdd(), read it and write it back";
    }
    if (usesBesideAtomic(actor.at, other.at) && isIndexedByData(actor))
        return "others use it between the two: let the atomic alone touch it; what it returns is what was there before";
    // One line, two invocations: a barrier does not help, because both use the same index.
    if (bothWrite && actor.at == other.at) {
        if (!ways.same && isIndexedByData(actor))
            return "the index is calculated from what memory holds, and comes out the same twice: look at where that "
                   "is written; where several are meant to meet, use an atomic";
        if (!sameGroup) return "let each work-group write elements of its own, counted by workGroupNumber()";
        const bool indexed = found.element.find('[') != std::string::npos;
        if (!indexed) return "let one invocation of the work-group alone write it: if (gl_LocalInvocationID.x == 0)";
        return ways.same ? "let each invocation write elements of its own, or one alone what is equal for all: if "
                           "(gl_LocalInvocationID.x == 0)"
                         : "let one invocation alone write it: guard the index, such as if (index < count)";
    }
    if (sameGroup)
        return kept == Kept::shared ? "put a barrier() between the two accesses, outside every condition"
                                    : "put memoryBarrierBuffer(), and after it barrier(), between the two accesses";
    // With a counter whose result is used, another order is meant than that of the atomics on this word.
    const bool counts = state_.code.synchronises && std::ranges::any_of(state_.code.atomics, &Atomic::isUsed);
    if (std::string cure = cureBesideAtomic(op, otherOp); !cure.empty() && !counts) return cure;
    if (twice && !bothWrite)
        return "bind another buffer for what is written, and swap the two from dispatch to dispatch";
    if (state_.code.atomics.empty()) return "do one of them in another dispatch, or both by atomics";
    // No atomic that comes after a write can order it after an earlier read.
    if (state_.code.synchronises && ways.writes && otherOp == op::load)
        return "let what others may still read stay, and write to another place; or, if they are to read what is "
               "written here, tell of it by an atomic, with memoryBarrierBuffer() before that one and after the one "
               "that reads it";
    return "do one of them in another dispatch, or tell of it by an atomic, with memoryBarrierBuffer() before that one "
           "and after the one that reads it";
}

// The instruction that makes what is in a cell; null: none, for constants and parameters.
const Instruction* RaceCures::madeBy(std::uint32_t cell) const
{
    const std::vector<Instruction>& all = state_.code.instructions;
    const auto makes = [cell](const Instruction& one) {
        return one.result == cell && one.op != op::store && one.op != op::branch && one.op != op::branchIf;
    };
    const auto found = std::find_if(all.begin(), all.end(), makes);
    return found == all.end() ? nullptr : &*found;
}

// Whether an invocation stores a whole array at once, as a call does for an inout parameter.
bool RaceCures::storesWhole(std::uint32_t at) const
{
    const Instruction& one = state_.code.instructions[at];
    if (one.op != op::store || state_.code.accesses[one.b].variable == none) return false;
    const Type& type = state_.code.types.at(state_.code.variables[state_.code.accesses[one.b].variable].type);
    return type.form == Form::array && type.cells > 1 && state_.code.accesses[one.b].cells == type.cells;
}

bool RaceCures::isIndexedByData(const Actor& actor) const
{
    const Instruction* const made = madeBy(state_.code.instructions[actor.at].a);
    if (!made || made->op != op::chain) return false;
    const Chain& chain = state_.code.chains[made->b];
    for (std::uint32_t i = 0; i < chain.steps; ++i)
        if ((actor.marks[state_.code.steps[chain.firstStep + i].cell] & mark::data) != 0) return true;
    return false;
}

// Whether a load and a store in one line name the same place by the same index, as += does: it is read and written
// back.
bool RaceCures::writesBack(std::uint32_t one, std::uint32_t other) const
{
    const Code& code = state_.code;
    const Instruction &a = code.instructions[one], &b = code.instructions[other];
    if (!((a.op == op::load && b.op == op::store) || (a.op == op::store && b.op == op::load))) return false;
    return sameLine(one, other) && code.accesses[a.b].space == code.accesses[b.b].space &&
           samePlace(a, b, deepestIndex);
}

// Whether an atomic, and a load or store in the same line, name the same place by the same index.
bool RaceCures::usesBesideAtomic(std::uint32_t one, std::uint32_t other) const
{
    const Code& code = state_.code;
    const Instruction &a = code.instructions[one], &b = code.instructions[other];
    const auto spaceOf = [&](const Instruction& of) {
        return code.accesses[isAtomic(of.op) ? code.atomics[of.count].access : of.b].space;
    };
    return isAtomic(a.op) != isAtomic(b.op) && sameLine(one, other) && spaceOf(a) == spaceOf(b) &&
           samePointer(a.a, b.a, deepestIndex);
}

bool RaceCures::sameLine(std::uint32_t one, std::uint32_t other) const
{
    const Place &here = state_.code.places[one], &there = state_.code.places[other];
    return here.line != 0 && here.line == there.line && here.file == there.file &&
           state_.code.functionOf[one] == state_.code.functionOf[other];
}

// Whether a load or store has the same pointer as another one of its line: the text between them changes no variable.
bool RaceCures::samePlace(const Instruction& one, const Instruction& other, int depth) const
{
    if (one.a == other.a) return true;
    if (one.c != none || other.c != none) return one.c == other.c;
    return samePointer(one.a, other.a, depth);
}

bool RaceCures::samePointer(std::uint32_t one, std::uint32_t other, int depth) const
{
    if (one == other) return true;
    const Instruction *mine = madeBy(one), *its = madeBy(other);
    if (!mine || !its || mine->op != op::chain || its->op != op::chain || mine->a != its->a) return false;
    const Chain &left = state_.code.chains[mine->b], &right = state_.code.chains[its->b];
    if (left.constant != right.constant || left.steps != right.steps) return false;
    for (std::uint32_t i = 0; i < left.steps; ++i) {
        const Step &step = state_.code.steps[left.firstStep + i], &there = state_.code.steps[right.firstStep + i];
        if (step.stride != there.stride || !sameNumber(step.cell, there.cell, depth)) return false;
    }
    return true;
}

// Whether two cells of one line have the same number, because they are loaded, or calculated, in the same way.
bool RaceCures::sameNumber(std::uint32_t one, std::uint32_t other, int depth) const
{
    if (one == other) return true;
    const Instruction *mine = madeBy(one), *its = madeBy(other);
    if (depth == 0 || !mine || !its || mine->op != its->op || mine->count != 1 || its->count != 1) return false;
    if (mine->op == op::load) return samePlace(*mine, *its, depth - 1);
    const bool ofTwo = (mine->op >= spv::OpIAdd && mine->op <= spv::OpFMod) ||
                       (mine->op >= spv::OpShiftRightLogical && mine->op <= spv::OpBitwiseAnd);
    return ofTwo && sameNumber(mine->a, its->a, depth - 1) && sameNumber(mine->b, its->b, depth - 1);
}

// Whether both work-groups have the same place along x in a folded dispatch, whose width the kernel does not ask for.
bool RaceCures::countsAlongXOnly(const KernelFinding& found) const
{
    const auto& groups = state_.dispatch.groups;
    return (groups[1] > 1 || groups[2] > 1) && found.actor.group % groups[0] == found.otherActor.group % groups[0] &&
           std::ranges::none_of(state_.code.builtIns,
                                [](const auto& one) { return one.first == spv::BuiltInNumWorkgroups; });
}

}  // namespace a2::emulator
