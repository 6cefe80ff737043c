#include "spirv/EmulatorAliases.h"

#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorFaults.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

constexpr std::size_t mostWords = std::size_t{1} << 20;  // words that are remembered

}  // namespace

Aliases::Aliases(WalkState& state, Faults& faults) : state_(state), faults_(faults)
{
    const auto overlap = [](const Resource& a, const Resource& b) {
        return a.state && a.state == b.state && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    };
    for (const Resource& one : state_.resources) {
        if (!state_.code.variables[one.variable].restricted) continue;
        for (const Resource& other : state_.resources)
            if (overlap(one, other) && one.variable != other.variable &&
                (state_.code.variables[one.variable].written || state_.code.variables[other.variable].written))
                any_ = state_.settings.checks;
    }
}

void Aliases::note(const Actor& actor, const Resource& resource, std::uint64_t word, const AccessWays& ways)
{
    if (aliased_.size() >= mostWords) return;
    std::vector<AliasUse>& uses = aliased_[resource.state->number << 40 | word];
    const Variable& own = state_.code.variables[resource.variable];
    AliasUse* same = nullptr;
    for (AliasUse& one : uses) {
        const Variable& other = state_.code.variables[one.variable];
        if (one.variable == resource.variable) {
            if (one.writes == ways.writes) same = &one;
        } else if ((one.writes || ways.writes) && (own.restricted || other.restricted)) {
            found(actor, resource, word, one);
        }
    }
    if (!same) same = &uses.emplace_back(AliasUse{.variable = resource.variable, .writes = ways.writes});
    same->at = actor.at;
    same->group = actor.group.number;
    same->invocation = actor.invocation;
}

void Aliases::found(const Actor& actor, const Resource& resource, std::uint64_t word, const AliasUse& other)
{
    KernelFinding* const finding = state_.findings.add("global-race", actor.at, other.at);
    if (!finding) return;
    const auto nameIn = [&](std::uint32_t variable) {
        const auto one = std::ranges::find_if(state_.resources, [&](const Resource& each) {
            return each.variable == variable && each.state == resource.state && each.offset <= 4 * word;
        });
        return one == state_.resources.end()
                   ? state_.code.variables[variable].name
                   : elementName(state_.code, state_.code.variables[variable], 4 * word - one->offset);
    };
    const Variable& own = state_.code.variables[resource.variable];
    finding->actor = faults_.describe(actor.group, actor.invocation);
    finding->otherActor = faults_.describe(actor.group, other.invocation);
    finding->otherActor.group = other.group;
    finding->variable = own.name;
    finding->element = nameIn(resource.variable);
    finding->what = fmt::format(
        "{} {}, and {} {}: that is one word, and {} is `restrict`, which promises that nothing else names it",
        faults_.called(finding->actor, nullptr), faults_.does(actor.at, "'" + finding->element + "'"),
        faults_.called(finding->otherActor, &finding->actor),
        faults_.does(other.at, "'" + nameIn(other.variable) + "'"), own.restricted ? "the first" : "the second");
    finding->cure = "take `restrict` away, or use that memory by one name alone";
}

}  // namespace a2::emulator
