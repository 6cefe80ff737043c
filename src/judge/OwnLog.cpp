#include "judge/OwnLog.h"

#include <algorithm>
#include <utility>

namespace a2 {

namespace {

Index firstOf(const OwnDispatch& own, const DeviceMemory* memory)
{
    const auto first =
        std::find_if(own.bound().begin(), own.bound().end(), [&](const auto& one) { return one.memory == memory; });
    return static_cast<Index>(first - own.bound().begin());
}

}  // namespace

CommandLog logOf(const OwnDispatch& own)
{
    DispatchCommand dispatch;
    dispatch.shader = own.objects().key->shader;
    dispatch.label = own.label();
    dispatch.kernel = own.objects().name;
    dispatch.facts = &*own.objects().facts;
    dispatch.workGroup = own.objects().key->shape.workGroup;
    dispatch.groups = {own.groups().x, own.groups().y, 1};
    dispatch.push.assign(own.push().begin(), own.push().end());
    for (const KernelBinding& one : dispatch.facts->bindings) {
        const BoundRange& bound = own.bound().at(one.binding);
        dispatch.buffers.push_back({one.set, one.binding, one.name, one.name, one.reads, one.writes,
                                    firstOf(own, bound.memory), bound.offset, bound.bytes, one.uniform});
    }
    return CommandLog(std::move(dispatch));
}

Index indexOf(const OwnDispatch& own, const DeviceBuffer& buffer) { return firstOf(own, buffer.memory()); }

}  // namespace a2
