#include "spirv/EmulatorUnset.h"

#include "spirv/EmulatorDecode.h"

#include <algorithm>

namespace a2::emulator {

void UnsetOrigins::loaded(const Actor& actor, Space space, std::uint32_t variable, std::uint64_t offset)
{
    UnsetOrigin& origin = actor.self().unset;
    origin.at = actor.at;
    origin.absent = false;
    origin.offset = offset;
    origin.variable = variable != none ? variable : state_.variableAt(space, offset);
    if (space == Space::buffer && firstRead_.at == none) firstRead_ = origin;
}

// The word was set to the value of an invocation that did not take part; what is loaded from it has this origin.
void UnsetOrigins::loaded(const Actor& actor, const std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                          std::uint64_t word)
{
    if (const auto found = absent.find(word); found != absent.end()) actor.self().unset = found->second;
}

void UnsetOrigins::stored(const Actor& actor, std::unordered_map<std::uint64_t, UnsetOrigin>& absent,
                          std::uint64_t word)
{
    if (const UnsetOrigin& origin = actor.self().unset; origin.absent)
        absent[word] = origin;
    else
        absent.erase(word);
}

// The value may have come from another invocation of the subgroup.
UnsetOrigin UnsetOrigins::of(const Actor& actor) const
{
    UnsetOrigin from = actor.self().unset;
    const std::uint32_t first = actor.invocation / state_.subgroupSize * state_.subgroupSize;
    for (std::uint32_t i = first; from.at == none && i < std::min(first + state_.subgroupSize, state_.code.invocations);
         ++i)
        from = actor.group.invocations[i].unset;
    return from;
}

// The line is looked up only once: there may be many such stores.
void UnsetOrigins::noteStore(const Actor& actor, const Resource& resource, std::uint64_t offset)
{
    auto& stores = state_.result.unsetStores;
    const auto [found, isNew] = unsetStoreOf_.try_emplace(actor.at, stores.size());
    if (isNew) {
        KernelLine where = state_.findings.lineOf(actor.at);
        const auto same =
            std::find_if(stores.begin(), stores.end(), [&](const auto& one) { return one.where == where; });
        found->second = static_cast<std::size_t>(same - stores.begin());
        if (same == stores.end() && stores.size() < 16) {
            UnsetOrigin from = of(actor);
            const auto known = [&] {
                return !from.absent && from.variable < state_.code.variables.size() &&
                       state_.code.variables[from.variable].space == Space::buffer;
            };
            if (!known()) from = firstRead_;  // it came through shared memory
            stores.push_back(
                {std::move(where), elementName(state_.code, state_.code.variables[resource.variable], offset),
                 known() ? elementName(state_.code, state_.code.variables[from.variable], from.offset) : "", 0});
        }
    }
    if (found->second < stores.size()) ++stores[found->second].times;
}

}  // namespace a2::emulator
