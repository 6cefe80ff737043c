// WorkGroupCheck::trace: one invocation's way through the code.

#include "spirv/WorkGroupRun.h"

#include <algorithm>

namespace a2 {

WorkGroupCheck::Word glslArithmetic(std::uint32_t operation, std::uint32_t x,
                                    std::uint32_t y);  // WorkGroupBuiltIns.cpp

namespace {

constexpr std::size_t mostCalls = 256;    // inside each other
constexpr std::size_t wordsOfAStep = 64;  // of a longer instruction, each as many count as one more

}  // namespace

// False where the way cannot be told.
bool WorkGroupCheck::Run::call(std::uint32_t id)
{
    const auto function = flow_.functions_.find(id);
    if (function == flow_.functions_.end() || ++depth_ > mostCalls) return false;
    std::uint32_t before = 0, label = 0;  // blocks
    for (std::size_t at = 0; at < function->second.code.size(); ++at) {
        const SpirvWords words = function->second.code[at];
        trace_.steps += 1 + words.size() / wordsOfAStep;
        if (trace_.steps > mostSteps_) return false;
        if (words.opcode() == spv::OpLabel) {
            before = std::exchange(label, words[1]);
            continue;
        }
        switch (step(words, before)) {
            case Next::instruction:
                break;
            case Next::block:
                if (!function->second.labels.count(target_)) return false;
                at = function->second.labels.at(target_) - 1;
                break;
            case Next::caller:
                --depth_;
                return true;
            case Next::unknown:
                return false;
        }
    }
    return false;
}

WorkGroupCheck::Run::Next WorkGroupCheck::Run::step(SpirvWords words, std::uint32_t before)
{
    switch (words.opcode()) {
        case spv::OpBranch:
            target_ = words[1];
            return Next::block;
        case spv::OpBranchConditional: {
            const Word condition = value(words[1])[0];
            target_ = condition.value_or(0) ? words[2] : words[3];
            return condition ? Next::block : Next::unknown;
        }
        case spv::OpSwitch:
        case spv::OpKill:
        case spv::OpUnreachable:
            return Next::unknown;
        case spv::OpReturnValue:
            returned_ = value(words[1]);
            return Next::caller;
        case spv::OpReturn:
            return Next::caller;
        case spv::OpControlBarrier:
            // One of another scope orders some invocations of the group, and which is not followed here.
            if (value(words[1])[0] != std::uint32_t{spv::ScopeWorkgroup}) return Next::unknown;
            ++trace_.barriers;
            return Next::instruction;
        case spv::OpFunctionCall:
            passArguments(words);
            if (!call(words[3])) return Next::unknown;
            values_[words[2]] = std::exchange(returned_, {});
            return Next::instruction;
        case spv::OpPhi:
            values_[words[2]] = {};
            for (std::size_t i = 3; i + 1 < words.size(); i += 2)
                if (words[i + 1] == before) values_[words[2]] = value(words[i]);
            return Next::instruction;
        default:
            calculate(words);
            if (words.size() > 2 && flow_.wide_.count(words[1])) values_[words[2]] = {};
            return Next::instruction;
    }
}

void WorkGroupCheck::Run::passArguments(SpirvWords words)
{
    const auto callee = flow_.functions_.find(words[3]);
    if (callee == flow_.functions_.end()) return;
    std::size_t argument = 4;
    for (const std::uint32_t parameter : callee->second.parameters) {
        const std::uint32_t given = words[argument++];
        values_[parameter] = value(given);
        pointers_[parameter] = pointer(given);
    }
}

void WorkGroupCheck::Run::calculate(SpirvWords words)
{
    switch (words.opcode()) {
        case spv::OpVariable:
            memory_[words[2]] = words.size() > 4 ? value(words[4]) : Value();
            pointers_[words[2]].variable = words[2];
            break;
        case spv::OpAccessChain:
        case spv::OpInBoundsAccessChain:
            pointers_[words[2]] = chained(pointer(words[3]), flow_.declarations_.pointee(words[1]), words.from(4));
            break;
        case spv::OpLoad:
            noteShared(pointer(words[3]), Kind::read);
            values_[words[2]] = load(pointer(words[3]));
            break;
        case spv::OpStore:
            noteShared(pointer(words[1]), Kind::write);
            store(pointer(words[1]), value(words[2]));
            break;
        case spv::OpAtomicStore:
            noteShared(pointer(words[1]), Kind::atomic);
            break;
        case spv::OpCopyMemory:
            noteShared(pointer(words[1]), Kind::write);
            noteShared(pointer(words[2]), Kind::read);
            store(pointer(words[1]), load(pointer(words[2])));
            break;
        case spv::OpExtInst:  // some write through a pointer
            for (const std::uint32_t operand : words.from(5)) store(pointer(operand), {});
            values_[words[2]] = words.size() == 7 ? combined(glslArithmetic, words[4], words.from(5)) : Value();
            break;
        case spv::OpCompositeExtract:
            values_[words[2]] = {};
            if (words.size() == 5 && words[4] < 4) values_[words[2]][0] = value(words[3])[words[4]];
            break;
        case spv::OpSelect: {
            const Value condition = value(words[3]), yes = value(words[4]), no = value(words[5]);
            Value& result = values_[words[2]] = {};
            for (std::size_t i = 0; i < result.size(); ++i)
                if (condition[i]) result[i] = *condition[i] ? yes[i] : no[i];
            break;
        }
        case spv::OpLogicalNot:
            values_[words[2]] = {};
            if (const Word one = value(words[3])[0]) values_[words[2]][0] = !*one;
            break;
        case spv::OpBitcast:
        case spv::OpCopyObject:
            values_[words[2]] = value(words[3]);
            break;
        default:
            if (words.opcode() >= spv::OpGroupNonUniformElect && words.opcode() <= spv::OpGroupNonUniformQuadSwap)
                doTogether(words);
            else if (words.opcode() >= spv::OpAtomicLoad && words.opcode() <= spv::OpAtomicXor)
                noteShared(pointer(words[3]), Kind::atomic);
            else if (words.size() == 5 && resultOf(words).id != 0)
                values_[words[2]] = combined(spirvArithmetic, words.opcode(), words.from(3));
    }
}

// What a subgroup does as one. Known is who is elected, the first; and the sum of a constant: so GLSL counts them.
void WorkGroupCheck::Run::doTogether(SpirvWords words)
{
    const std::uint32_t first = flow_.numberInGroup(invocation_) / subgroupSize * subgroupSize;
    trace_.together.push_back(words[2]);
    values_[words[2]] = {};
    if (words.opcode() == spv::OpGroupNonUniformElect) values_[words[2]][0] = flow_.numberInGroup(invocation_) == first;
    const bool sum = words.opcode() == spv::OpGroupNonUniformIAdd && words[4] == spv::GroupOperationReduce;
    if (const Word constant = sum ? flow_.constants_[words[5]][0] : std::nullopt)
        values_[words[2]][0] = *constant * std::min(subgroupSize, flow_.invocations() - first);
}

template <class Arithmetic>
WorkGroupCheck::Value WorkGroupCheck::Run::combined(Arithmetic arithmetic, std::uint32_t operation,
                                                    SpirvWords operands) const
{
    const Value x = value(operands[0]), y = value(operands[1]);
    Value result;
    for (std::size_t i = 0; i < result.size(); ++i)
        if (x[i] && y[i]) result[i] = arithmetic(operation, *x[i], *y[i]);
    return result;
}

WorkGroupCheck::Trace WorkGroupCheck::trace(const Invocation& invocation, std::uint64_t most) const
{
    return Run(*this, invocation, most).trace();
}

}  // namespace a2
