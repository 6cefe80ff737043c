// Memory that a `restrict` variable and another variable name: if one of them writes to a word and the other uses it,
// the result is undefined (GLSL 4.50, section 4.10, "Memory Qualifiers"), because a compiler may treat it as two words.

#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2::emulator {

namespace {

constexpr std::size_t mostWords = std::size_t{1} << 20;  // words that are remembered

}  // namespace

void Walk::lookForAliases()
{
    const auto overlap = [](const Resource& a, const Resource& b) {
        return a.state && a.state == b.state && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
    };
    for (const Resource& one : resources_) {
        if (!code_.variables[one.variable].restricted) continue;
        for (const Resource& other : resources_)
            if (overlap(one, other) && one.variable != other.variable &&
                (code_.variables[one.variable].written || code_.variables[other.variable].written))
                aliases_ = settings_.checks;
    }
}

void Walk::noteAlias(const Actor& actor, const Resource& resource, std::uint64_t word, const Ways& ways)
{
    if (aliased_.size() >= mostWords) return;
    std::vector<AliasUse>& uses = aliased_[resource.state->number << 40 | word];
    const Variable& own = code_.variables[resource.variable];
    AliasUse* same = nullptr;
    for (AliasUse& one : uses) {
        const Variable& other = code_.variables[one.variable];
        if (one.variable == resource.variable) {
            if (one.writes == ways.writes) same = &one;
        } else if ((one.writes || ways.writes) && (own.restricted || other.restricted)) {
            foundAlias(actor, resource, word, one);
        }
    }
    if (!same) same = &uses.emplace_back(AliasUse{.variable = resource.variable, .writes = ways.writes});
    same->at = actor.at;
    same->group = actor.group.number;
    same->invocation = actor.invocation;
}

void Walk::foundAlias(const Actor& actor, const Resource& resource, std::uint64_t word, const AliasUse& other)
{
    KernelFinding* const finding = findings_.add("global-race", actor.at, other.at);
    if (!finding) return;
    const auto nameIn = [&](std::uint32_t variable) {
        const auto one = std::ranges::find_if(resources_, [&](const Resource& each) {
            return each.variable == variable && each.state == resource.state && each.offset <= 4 * word;
        });
        return one == resources_.end() ? code_.variables[variable].name
                                       : elementName(code_, code_.variables[variable], 4 * word - one->offset);
    };
    const Variable& own = code_.variables[resource.variable];
    finding->actor = describe(actor.group, actor.invocation);
    finding->otherActor = describe(actor.group, other.invocation);
    finding->otherActor.group = other.group;
    finding->variable = own.name;
    finding->element = nameIn(resource.variable);
    finding->what = fmt::format(
        "{} {}, and {} {}: that is one word, and {} is `restrict`, which promises that nothing else names it",
        called(finding->actor, nullptr), does(actor.at, "'" + finding->element + "'"),
        called(finding->otherActor, &finding->actor), does(other.at, "'" + nameIn(other.variable) + "'"),
        own.restricted ? "the first" : "the second");
    finding->cure = "take `restrict` away, or use that memory by one name alone";
}

}  // namespace a2::emulator
