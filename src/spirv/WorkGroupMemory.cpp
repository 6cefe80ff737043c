// What an invocation that is followed has in memory: its own variables, push constants, and where in shared memory it
// goes.

#include "spirv/WorkGroupRun.h"

namespace a2 {

// An access to shared memory; left out where its word is not known.
void WorkGroupCheck::Run::noteShared(const Pointer& to, Kind kind)
{
    if (flow_.variables_[to.variable].storage != spv::StorageClassWorkgroup) return;
    const Word element = to.whole ? Word(0) : to.component;
    const bool wholeArray = to.whole && flow_.declarations_.length(flow_.variables_[to.variable].type);
    if (element && !wholeArray)
        trace_.accesses.push_back({trace_.barriers, to.variable, *element, trace_.together.size(), kind});
}

// type: what the new pointer points to.
WorkGroupCheck::Pointer WorkGroupCheck::Run::chained(Pointer base, std::uint32_t type, SpirvWords indices) const
{
    const bool first = std::exchange(base.whole, false);
    const auto& variable = flow_.variables_[base.variable];
    const bool push = variable.id && variable.storage == spv::StorageClassPushConstant;
    const Word index = indices.size() == 1 ? value(indices[0])[0] : std::nullopt;
    base.type = type;
    if (!first)
        base.component = base.pushOffset = {};
    else if (push)
        base.pushOffset = pushOffset(variable.type, indices);
    else
        base.component = index;
    return base;
}

WorkGroupCheck::Word WorkGroupCheck::Run::pushOffset(std::uint32_t type, SpirvWords indices) const
{
    std::uint32_t offset = 0;
    for (const std::uint32_t id : indices) {
        const auto* structure = flow_.declarations_.structure(type);
        const Word index = value(id)[0];
        if (!structure || !index || !structure->offsets.count(*index) || *index >= structure->members.size()) return {};
        offset += structure->offsets.at(*index);
        type = structure->members[*index];
    }
    return flow_.declarations_.isScalar(type) ? Word(offset) : std::nullopt;
}

WorkGroupCheck::Value WorkGroupCheck::Run::load(const Pointer& from) const
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
bool WorkGroupCheck::Run::own(const Pointer& one) const
{
    const auto& variable = flow_.variables_[one.variable];
    return one.variable && (!variable.id || variable.storage == spv::StorageClassPrivate);
}

void WorkGroupCheck::Run::store(const Pointer& to, const Value& stored)
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

}  // namespace a2
