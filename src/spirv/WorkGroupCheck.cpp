#include "spirv/WorkGroupCheck.h"

#include "spirv/WorkGroupRun.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

// Two different invocations that do something at a place.
struct WorkGroupCheck::Invocations {
    std::optional<std::uint32_t> first, second;
    void add(std::uint32_t one)
    {
        if (!first)
            first = one;
        else if (*first != one && !second)
            second = one;
    }
    // One of these and one of the others that is not the same, if there are such.
    std::optional<std::pair<std::uint32_t, std::uint32_t>> meeting(const Invocations& others) const
    {
        if (!first || !others.first) return {};
        if (*first != *others.first) return std::pair(*first, *others.first);
        if (others.second) return std::pair(*first, *others.second);
        if (second) return std::pair(*second, *others.first);
        return {};
    }
};

// Who does what at one place. A plain write meets every other access, an atomic one plain reads. (Two plain writes are
// left alone: all may write the same value.)
struct WorkGroupCheck::Place {
    Invocations readers, writers, atomics;

    std::optional<std::pair<std::uint32_t, std::uint32_t>> conflict() const
    {
        auto found = writers.meeting(readers);
        if (!found) found = writers.meeting(atomics);
        return found ? found : atomics.meeting(readers);
    }
};

WorkGroupCheck::WorkGroupCheck(const SpirvModule& module, const Specialisation& given)
    : declarations_(given), left_(mostInFaults)
{
    std::uint32_t function = 0;
    bool barriers = false;
    std::vector<std::uint32_t> wideConstants;
    forEachInstruction(module.copiedTo(words_), [&](spv::Op opcode, SpirvWords words) {
        if (opcode == spv::OpEntryPoint) main_ = words[2];
        if (opcode == spv::OpTypeInt && words[2] != 32) wide_.insert(words[1]);
        if (opcode == spv::OpTypeVector && wide_.count(words[2])) wide_.insert(words[1]);
        if (function == 0 && words.size() > 3 && wide_.count(words[1])) wideConstants.push_back(words[2]);
        if (opcode == spv::OpFunction) function = words[2];
        if (function == 0) return declarations_.read(opcode, words);
        barriers = barriers || opcode == spv::OpControlBarrier;
        Function& into = functions_[function];
        if (opcode == spv::OpLabel) into.labels[words[1]] = into.code.size();
        if (opcode == spv::OpFunctionParameter) into.parameters.push_back(words[2]);
        into.code.push_back(words);
    });
    const auto number = [&](std::uint32_t constant) {
        const auto known = declarations_.value(constant);
        return known ? Word(static_cast<std::uint32_t>(*known)) : std::nullopt;
    };
    const auto& size = declarations_.localSize();
    const std::uint64_t row = std::min<std::uint64_t>(mostInvocations + 1, std::uint64_t{size[0]} * size[1]);
    const std::uint32_t ids = module.idBound();
    if (ids > mostIds || row * size[2] > mostInvocations || row * size[2] == 0) {
        main_ = 0;
        return;
    }
    constants_ = SpirvTable<Value>(ids);
    variables_ = SpirvTable<SpirvDeclarations::Variable>(ids);
    for (std::uint32_t id = 0; id < ids; ++id) {
        const auto members = declarations_.members(id);
        constants_[id][0] = number(id);
        for (std::size_t i = 0; i < std::min<std::size_t>(members.size(), 4); ++i)
            constants_[id][i] = number(members[i]);
    }
    for (const std::uint32_t id : wideConstants) constants_[id] = {};
    bool shared = false;
    for (const auto& one : declarations_.variables()) {
        variables_[one.id] = one;
        shared = shared || one.storage == spv::StorageClassWorkgroup;
    }
    useful_ = shared || barriers;
    mayLeaveEarly_ = barriers && mayLeaveEarly();
}

bool WorkGroupCheck::mayLeaveEarly() const
{
    const auto count = [](const Function& function, spv::Op opcode) {
        return std::count_if(function.code.begin(), function.code.end(),
                             [&](SpirvWords one) { return one.opcode() == opcode; });
    };
    return std::any_of(functions_.begin(), functions_.end(), [&](const auto& one) {
        const bool here = one.first == main_ || count(one.second, spv::OpControlBarrier) > 0;
        return here && count(one.second, spv::OpReturn) + count(one.second, spv::OpReturnValue) > 1;
    });
}

std::optional<GroupFault> WorkGroupCheck::fault(const Groups& groups, const std::vector<Word>& push)
{
    if (!useful_ || main_ == 0 || std::count(groups.begin(), groups.end(), 0U) > 0) return {};
    const bool one = groups == Groups{1, 1, 1};
    const auto same = mayLeaveEarly_ ? known_.find({groups, push})
                                     : std::find_if(known_.begin(), known_.end(), [&](const auto& looked) {
                                           return one == (looked.first.first == Groups{1, 1, 1});
                                       });
    if (same != known_.end()) return same->second;

    auto& found = known_[{groups, push}];
    found = faultIn({0, 0, 0}, groups, push);
    if (!found && !one) found = faultIn({groups[0] - 1, groups[1] - 1, groups[2] - 1}, groups, push);
    return found;
}

std::string WorkGroupCheck::elementName(const Access& access) const
{
    const std::string name = declarations_.name(access.variable);
    return declarations_.length(variables_[access.variable].type)
               ? fmt::format("element {} of the shared array '{}'", access.element, name)
               : fmt::format("the shared variable '{}'", name);
}

// The first invocation that does not do the same as one makes all that comes after uncertain.
void WorkGroupCheck::keepCertain(std::vector<Trace>& subgroup)
{
    const auto& first = subgroup.front().together;
    auto certain = std::ssize(first);
    for (const Trace& one : subgroup) {
        const auto differs = std::mismatch(first.begin(), first.end(), one.together.begin(), one.together.end());
        certain = std::min(certain, differs.first - first.begin());
    }
    for (Trace& one : subgroup) {
        one.complete = one.complete && std::ssize(one.together) == certain;
        std::erase_if(one.accesses,
                      [&](const Access& access) { return access.together > static_cast<std::uint64_t>(certain); });
    }
}

// Notes what one invocation does; a fault that shows without the others'.
std::optional<GroupFault> WorkGroupCheck::faultOf(std::uint32_t invocation, std::uint64_t number, const Trace& traced,
                                                  std::optional<std::uint64_t>& others, Places& places) const
{
    if (others && traced.complete && *others != traced.barriers)
        return GroupFault{"missing-barrier",
                          fmt::format("invocation {} of work-group {} comes to {} barrier() calls, others to {}; "
                                      "all must come to each: put the condition round the work",
                                      invocation, number, traced.barriers, *others)};
    if (traced.complete) others = traced.barriers;
    for (const Access& access : traced.accesses) {
        const auto length = declarations_.length(variables_[access.variable].type);
        if (length && access.element >= *length)
            return GroupFault{
                "out-of-bounds",
                fmt::format("invocation {} of work-group {} {} {}, which has {} elements", invocation, number,
                            access.kind == Access::Kind::read ? "reads" : "writes", elementName(access), *length)};
        Place& place = places[access.place()];
        Invocations& who = access.kind == Access::Kind::read    ? place.readers
                           : access.kind == Access::Kind::write ? place.writers
                                                                : place.atomics;
        who.add(invocation);
    }
    return {};
}

std::optional<GroupFault> WorkGroupCheck::faultIn(const std::array<std::uint32_t, 3>& group, const Groups& groups,
                                                  const std::vector<Word>& push)
{
    const auto size = declarations_.localSize();
    const std::uint64_t number = (std::uint64_t{group[2]} * groups[1] + group[1]) * groups[0] + group[0];
    Places places;
    std::optional<std::uint64_t> others;
    std::size_t kept = 0;
    for (std::uint32_t first = 0; first < invocations(); first += subgroupSize) {
        std::vector<Trace> subgroup;
        for (std::uint32_t i = first; i < std::min(first + subgroupSize, invocations()); ++i) {
            subgroup.push_back(
                trace({group, groups, {i % size[0], i / size[0] % size[1], i / size[0] / size[1]}, &push},
                      std::min(mostSteps, left_)));
            left_ -= std::min(left_, subgroup.back().steps);
            kept += subgroup.back().size();
        }
        if (left_ == 0 || kept > mostKept || places.size() > mostPlaces) return {};
        keepCertain(subgroup);
        for (std::uint32_t i = 0; i < subgroup.size(); ++i)
            if (auto fault = faultOf(first + i, number, subgroup[i], others, places)) return fault;
    }
    for (const auto& [place, who] : places) {
        const auto pair = who.conflict();
        if (!pair) continue;
        Access access;
        access.variable = std::get<1>(place);
        access.element = std::get<2>(place);
        return GroupFault{"missing-barrier",
                          fmt::format("invocation {} of work-group {} writes {}, and invocation {} uses it, with no "
                                      "barrier() between",
                                      pair->first, number, elementName(access), pair->second)};
    }
    return {};
}

}  // namespace a2
