// WorkGroupCheck: what an invocation is told about itself, and GLSL's own functions.

#include "spirv/WorkGroupCheck.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <algorithm>

namespace a2 {

// As spirvArithmetic, for the extended instructions.
WorkGroupCheck::Word glslArithmetic(std::uint32_t operation, std::uint32_t x, std::uint32_t y)
{
    if (operation == GLSLstd450UMin) return std::min(x, y);
    if (operation == GLSLstd450UMax) return std::max(x, y);
    return std::nullopt;
}

std::uint32_t WorkGroupCheck::invocations() const
{
    const auto size = declarations_.localSize();
    return size[0] * size[1] * size[2];
}

std::uint32_t WorkGroupCheck::numberInGroup(const Invocation& invocation) const
{
    const auto size = declarations_.localSize();
    const auto& local = invocation.local;
    return (local[2] * size[1] + local[1]) * size[0] + local[0];
}

WorkGroupCheck::Value WorkGroupCheck::builtIn(std::uint32_t variable, const Invocation& invocation) const
{
    const auto vector = [](const auto& xyz) { return Value{xyz[0], xyz[1], xyz[2]}; };
    const auto size = declarations_.localSize();
    const auto &group = invocation.group, &local = invocation.local;
    switch (declarations_.decoration(variable, spv::DecorationBuiltIn).value_or(UINT32_MAX)) {
        case spv::BuiltInLocalInvocationId:
            return vector(local);
        case spv::BuiltInWorkgroupId:
            return vector(group);
        case spv::BuiltInNumWorkgroups:
            return vector(invocation.groups);
        case spv::BuiltInGlobalInvocationId:
            return {group[0] * size[0] + local[0], group[1] * size[1] + local[1], group[2] * size[2] + local[2]};
        case spv::BuiltInLocalInvocationIndex:
            return {numberInGroup(invocation)};
        case spv::BuiltInSubgroupId:
            return {numberInGroup(invocation) / subgroupSize};
        case spv::BuiltInSubgroupLocalInvocationId:
            return {numberInGroup(invocation) % subgroupSize};
        case spv::BuiltInSubgroupSize:
            return {subgroupSize};
        case spv::BuiltInNumSubgroups:
            return {(invocations() + subgroupSize - 1) / subgroupSize};
        default:
            return {};
    }
}

}  // namespace a2
