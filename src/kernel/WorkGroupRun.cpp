// WorkGroupCheck::trace: one invocation of a kernel, instruction by instruction. What is not understood has no value,
// and a branch on it ends the trace.

#include "kernel/WorkGroupCheck.h"

#include <algorithm>
#include <utility>

namespace a2 {

WorkGroupCheck::Word glslArithmetic(std::uint32_t operation, std::uint32_t x,
                                    std::uint32_t y);  // WorkGroupBuiltIns.cpp

namespace {

constexpr std::uint64_t mostSteps = 100000;  // of one invocation
spv::Op opcodeOf(SpirvWords words) { return static_cast<spv::Op>(words[0] & spv::OpCodeMask); }

}  // namespace

class WorkGroupCheck::Run {
public:
    Run(const WorkGroupCheck& flow, const Invocation& invocation)
        : flow_(flow),
          invocation_(invocation),
          values_(flow.constants_),
          memory_(values_.size()),
          pointers_(values_.size())
    {
    }
    Trace trace()
    {
        trace_.complete = call(flow_.main_);
        return std::move(trace_);
    }

private:
    using Kind = Access::Kind;
    enum class Next { instruction, block, caller, unknown };

    // False where the way cannot be told.
    bool call(std::uint32_t id)
    {
        const auto function = flow_.functions_.find(id);
        if (function == flow_.functions_.end()) return false;
        std::uint32_t before = 0, label = 0;  // blocks
        for (std::size_t at = 0; at < function->second.code.size(); ++at) {
            const SpirvWords words = function->second.code[at];
            if (++steps_ > mostSteps) return false;
            if (opcodeOf(words) == spv::OpLabel) {
                before = std::exchange(label, words[1]);
                continue;
            }
            switch (step(words, before)) {
                case Next::instruction:
                    break;
                case Next::block:
                    at = function->second.labels.at(target_) - 1;
                    break;
                case Next::caller:
                    return true;
                case Next::unknown:
                    return false;
            }
        }
        return false;
    }

    Next step(SpirvWords words, std::uint32_t before)
    {
        switch (opcodeOf(words)) {
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

    void passArguments(SpirvWords words)
    {
        const auto callee = flow_.functions_.find(words[3]);
        if (callee == flow_.functions_.end()) return;
        std::size_t argument = 4;
        for (const Instruction& one : callee->second.code) {
            if (opcodeOf(one) != spv::OpFunctionParameter || argument >= words.size()) continue;
            const std::uint32_t given = words[argument++];
            values_[one[2]] = value(given);
            pointers_[one[2]] = pointer(given);
        }
    }

    void calculate(SpirvWords words)
    {
        switch (opcodeOf(words)) {
            case spv::OpVariable:
                memory_[words[2]] = words.size() > 4 ? value(words[4]) : Value();
                pointers_[words[2]].variable = words[2];
                break;
            case spv::OpAccessChain:
            case spv::OpInBoundsAccessChain:
                pointers_[words[2]] = chained(pointer(words[3]), words.subspan(4));
                break;
            case spv::OpLoad:
                note(pointer(words[3]), Kind::read);
                values_[words[2]] = load(pointer(words[3]));
                break;
            case spv::OpStore:
                note(pointer(words[1]), Kind::write);
                store(pointer(words[1]), value(words[2]));
                break;
            case spv::OpAtomicStore:
                note(pointer(words[1]), Kind::atomic);
                break;
            case spv::OpCopyMemory:
                note(pointer(words[1]), Kind::write);
                note(pointer(words[2]), Kind::read);
                store(pointer(words[1]), load(pointer(words[2])));
                break;
            case spv::OpExtInst:  // some write through a pointer
                for (const std::uint32_t operand : words.subspan(5)) store(pointer(operand), {});
                values_[words[2]] = words.size() == 7 ? combined(glslArithmetic, words[4], words.subspan(5)) : Value();
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
                if (opcodeOf(words) >= spv::OpGroupNonUniformElect && opcodeOf(words) <= spv::OpGroupNonUniformQuadSwap)
                    doTogether(words);
                else if (opcodeOf(words) >= spv::OpAtomicLoad && opcodeOf(words) <= spv::OpAtomicXor)
                    note(pointer(words[3]), Kind::atomic);
                else if (words.size() == 5)
                    values_[words[2]] = combined(spirvArithmetic, opcodeOf(words), words.subspan(3));
        }
    }

    // What a subgroup does as one. Known is who is elected, the first; and the sum of a constant: so GLSL counts them.
    void doTogether(SpirvWords words)
    {
        const std::uint32_t first = flow_.numberInGroup(invocation_) / subgroupSize * subgroupSize;
        trace_.together.push_back(words[2]);
        values_[words[2]] = {};
        if (opcodeOf(words) == spv::OpGroupNonUniformElect)
            values_[words[2]][0] = flow_.numberInGroup(invocation_) == first;
        const bool sum = opcodeOf(words) == spv::OpGroupNonUniformIAdd && words[4] == spv::GroupOperationReduce;
        if (const Word constant = sum ? flow_.constants_[words[5]][0] : std::nullopt)
            values_[words[2]][0] = *constant * std::min(subgroupSize, flow_.invocations() - first);
    }

    // An access to a word of shared memory that is known.
    void note(const Pointer& to, Kind kind)
    {
        if (flow_.variables_[to.variable].storage != spv::StorageClassWorkgroup) return;
        const Word element = to.whole ? Word(0) : to.component;
        const bool wholeArray = to.whole && flow_.declarations_.length(flow_.variables_[to.variable].type);
        if (element && !wholeArray)
            trace_.accesses.push_back({trace_.barriers, to.variable, *element, trace_.together.size(), kind});
    }

    template <class Arithmetic>
    Value combined(Arithmetic arithmetic, std::uint32_t operation, SpirvWords operands) const
    {
        const Value x = value(operands[0]), y = value(operands[1]);
        Value result;
        for (std::size_t i = 0; i < result.size(); ++i)
            if (x[i] && y[i]) result[i] = arithmetic(operation, *x[i], *y[i]);
        return result;
    }

    Value value(std::uint32_t id) const { return id < values_.size() ? values_[id] : Value(); }

    Pointer pointer(std::uint32_t id) const { return flow_.variables_[id].id ? Pointer{id} : pointers_[id]; }

    Pointer chained(Pointer base, SpirvWords indices) const
    {
        const bool first = std::exchange(base.whole, false);
        const auto& variable = flow_.variables_[base.variable];
        const bool push = variable.id && variable.storage == spv::StorageClassPushConstant;
        const Word index = indices.size() == 1 ? value(indices[0])[0] : std::nullopt;
        if (!first)
            base.component = base.pushOffset = {};
        else if (push)
            base.pushOffset = pushOffset(variable.type, indices);
        else
            base.component = index;
        return base;
    }

    Word pushOffset(std::uint32_t type, SpirvWords indices) const
    {
        std::uint32_t offset = 0;
        for (const std::uint32_t id : indices) {
            const auto* structure = flow_.declarations_.structure(type);
            const Word index = value(id)[0];
            if (!structure || !index || !structure->offsets.count(*index)) return {};
            offset += structure->offsets.at(*index);
            type = structure->members[*index];
        }
        return flow_.declarations_.isScalar(type) ? Word(offset) : std::nullopt;
    }

    Value load(const Pointer& from) const
    {
        const auto& variable = flow_.variables_[from.variable];
        Value all;
        if (from.pushOffset) {
            const std::size_t word = *from.pushOffset / 4;
            if (word < invocation_.push->size()) all[0] = (*invocation_.push)[word];
            return all;
        }
        if (own(from))
            all = memory_[from.variable];
        else if (variable.storage == spv::StorageClassInput)
            all = flow_.builtIn(from.variable, invocation_);
        if (from.whole) return all;
        return from.component && *from.component < 4 ? Value{all[*from.component]} : Value();
    }

    // Whether no other invocation can write there.
    bool own(const Pointer& one) const
    {
        const auto& variable = flow_.variables_[one.variable];
        return one.variable && (!variable.id || variable.storage == spv::StorageClassPrivate);
    }

    void store(const Pointer& to, const Value& stored)
    {
        if (!own(to)) return;
        Value& kept = memory_[to.variable];
        if (to.whole)
            kept = stored;
        else if (to.component && *to.component < 4)
            kept[*to.component] = stored[0];
        else
            kept = {};
    }

    const WorkGroupCheck& flow_;
    const Invocation& invocation_;
    std::vector<Value> values_, memory_;  // by id; memory_: of own variables
    std::vector<Pointer> pointers_;       // by id; variable 0: no pointer, or one that is not followed
    Value returned_;
    std::uint32_t target_ = 0;
    Trace trace_;
    std::uint64_t steps_ = 0;
};

WorkGroupCheck::Trace WorkGroupCheck::trace(const Invocation& invocation) const
{
    return Run(*this, invocation).trace();
}

}  // namespace a2
