#include "annexes/debug/DapVariables.h"

#include "a2/Error.h"
#include "annexes/debug/ValueText.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2::debug {

using emulator::Spot;
using nlohmann::json;

namespace {

constexpr std::uint64_t mostAtOnce = 4096;  // elements that are sent without a request

}  // namespace

std::uint64_t DapVariables::hold(Held held)
{
    all_.push_back(std::move(held));
    return all_.size();
}

json DapVariables::scopes(const View& view)
{
    const emulator::Standing::Names names = view.here().names(view.invocation());
    const std::vector<std::string> builtIns = {
        "gl_LocalInvocationIndex", "gl_LocalInvocationID", "gl_GlobalInvocationID",
        "gl_WorkGroupID",          "gl_NumWorkGroups",     "gl_WorkGroupSize",
        "gl_SubgroupInvocationID", "gl_SubgroupID",        "gl_SubgroupSize"};
    json all = json::array();
    const auto add = [&](const char* name, const char* hint, std::vector<std::string> of) {
        if (of.empty()) return;
        json scope = {{"name", name}, {"expensive", false}, {"namedVariables", of.size()}};
        if (*hint) scope["presentationHint"] = hint;
        scope["variablesReference"] = hold({"", std::move(of), {}, view.invocation()});
        all.push_back(std::move(scope));
    };
    add("Locals", "locals", names.locals);
    add("Shared memory", "", names.shared);
    add("Buffers", "", view.buffers());
    add("Push constants", "", names.others);
    add("Built-in", "registers", builtIns);
    return all;
}

json DapVariables::variable(const View& view, const std::string& name, const std::string& expression, const Spot& spot)
{
    json one = {{"name", name}, {"value", valueText({spot, {}}, view.here())}, {"evaluateName", expression}};
    one["variablesReference"] = 0;
    if (Value{spot, {}}.isNumber()) return one;
    one["variablesReference"] = hold({expression, {}, spot, view.invocation()});
    if (isList(spot)) one["indexedVariables"] = view.here().elements(spot);
    return one;
}

json DapVariables::variables(const View& view, std::uint64_t number, std::uint64_t start, std::uint64_t count)
{
    if (number == 0 || number > all_.size()) throw UsageError("there is no such variable at this place");
    const Held held = all_[static_cast<std::size_t>(number - 1)];
    View seen = view;
    seen.selected.invocation = held.invocation;
    json all = json::array();
    if (!held.spot) {
        for (const std::string& name : held.names)
            if (const auto spot = seen.scope().find(name)) all.push_back(variable(seen, name, name, *spot));
        return all;
    }
    const Spot& spot = *held.spot;
    if (isList(spot)) {
        const std::uint64_t elements = view.here().elements(spot);
        const std::uint64_t end = std::min(elements, start + (count > 0 ? count : mostAtOnce));
        for (std::uint64_t i = start; i < end; ++i)
            if (const auto one = view.here().element(spot, i))
                all.push_back(variable(seen, fmt::format("[{}]", i), fmt::format("{}[{}]", held.expression, i), *one));
        return all;
    }
    for (const emulator::Member& member : spot.type->members)
        if (const auto one = view.here().member(spot, member.name))
            all.push_back(variable(seen, member.name, fmt::format("{}.{}", held.expression, member.name), *one));
    return all;
}

json DapVariables::evaluated(const View& view, const std::string& expression)
{
    const Value value = Expression(expression).value(view.scope());
    if (value.isNumber()) static_cast<void>(numberOf(value, view.here(), expression));  // throws if it is past an end
    json made = {{"result", valueText(value, view.here())}, {"variablesReference", 0}};
    if (value.isNumber()) return made;
    const json one = variable(view, expression, expression, *value.spot);
    made["variablesReference"] = one["variablesReference"];
    if (one.contains("indexedVariables")) made["indexedVariables"] = one["indexedVariables"];
    return made;
}

std::string DapVariables::expressionOf(std::uint64_t number, const std::string& name) const
{
    if (number == 0 || number > all_.size()) return name;
    const std::string& of = all_[static_cast<std::size_t>(number - 1)].expression;
    if (of.empty()) return name;
    return name.starts_with("[") ? of + name : of + "." + name;
}

}  // namespace a2::debug
