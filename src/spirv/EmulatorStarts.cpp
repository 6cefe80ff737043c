#include "spirv/EmulatorStarts.h"

#include "spirv/EmulatorFaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace a2::emulator {

std::uint64_t shuffledBits(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    return x ^ x >> 31;
}

std::array<std::uint32_t, 3> GroupStarts::groupId(std::uint64_t number) const
{
    const auto& groups = state_.dispatch.groups;
    return {static_cast<std::uint32_t>(number % groups[0]), static_cast<std::uint32_t>(number / groups[0] % groups[1]),
            static_cast<std::uint32_t>(number / groups[0] / groups[1])};
}

// The number of the work-group that starts after this many others. A shuffled order goes through all numbers below a
// power of two, and skips those beyond the last work-group.
std::uint64_t GroupStarts::inOrder(std::uint64_t place) const
{
    if (state_.settings.watchedAlone) return state_.settings.watched.value_or(0);
    if (state_.settings.order == EmulatorSettings::Order::backwards) return state_.groups - 1 - place;
    if (state_.settings.order == EmulatorSettings::Order::forwards || state_.groups < 2) return first_ + place;
    const auto bits = static_cast<unsigned>(std::bit_width(state_.groups - 1));
    const std::uint64_t mask = lowBits(bits);
    std::uint64_t one = place;
    do {  // a permutation of the numbers below 2^bits: each step is reversible
        for (std::uint64_t round = 0; round < 3; ++round) {
            one = (one * (shuffledBits(state_.settings.seed * 8 + round) | 1) +
                   shuffledBits(state_.settings.seed + round)) &
                  mask;
            one ^= one >> (bits / 2 + 1);
        }
    } while (one >= state_.groups);
    return one;
}

void GroupStarts::setBuiltIns(Group& group, std::uint32_t invocation)
{
    Cell* cells = state_.cellsOf(group, invocation);
    const auto& size = state_.code.localSize;
    const std::array<std::uint32_t, 3> local = {invocation % size[0], invocation / size[0] % size[1],
                                                invocation / size[0] / size[1]};
    const std::uint32_t lane = invocation % state_.subgroupSize;
    const auto put = [&](std::uint32_t first, const std::array<std::uint32_t, 3>& all) {
        for (std::uint32_t i = 0; i < 3; ++i) cells[first + i] = all.at(i);
    };
    const auto putMask = [&](std::uint32_t first, auto&& has) {
        for (std::uint32_t i = 0; i < 4; ++i) {
            cells[first + i] = 0;
            for (std::uint32_t k = 0; k < 32; ++k)
                if (32 * i + k < state_.subgroupSize && has(32 * i + k)) cells[first + i] |= Cell{1} << k;
        }
    };
    std::array<std::uint32_t, 3> groupId{}, global{};
    for (std::size_t i = 0; i < 3; ++i) {
        groupId.at(i) = state_.dispatch.base.at(i) + group.id.at(i);
        global.at(i) = groupId.at(i) * size.at(i) + local.at(i);
    }
    for (const auto& [which, first] : state_.code.builtIns) {
        switch (which) {
            case spv::BuiltInNumWorkgroups:
                put(first, state_.dispatch.groups);
                break;
            case spv::BuiltInWorkgroupSize:
                put(first, size);
                break;
            case spv::BuiltInWorkgroupId:
                put(first, groupId);
                break;
            case spv::BuiltInLocalInvocationId:
                put(first, local);
                break;
            case spv::BuiltInGlobalInvocationId:
                put(first, global);
                break;
            case spv::BuiltInLocalInvocationIndex:
                cells[first] = invocation;
                break;
            case spv::BuiltInSubgroupSize:
                cells[first] = std::max(state_.settings.namedSubgroupSize, state_.subgroupSize);
                break;
            case spv::BuiltInNumSubgroups:
                cells[first] = (state_.code.invocations + state_.subgroupSize - 1) / state_.subgroupSize;
                break;
            case spv::BuiltInSubgroupId:
                cells[first] = invocation / state_.subgroupSize;
                break;
            case spv::BuiltInSubgroupLocalInvocationId:
                cells[first] = lane;
                break;
            case spv::BuiltInSubgroupEqMask:
                putMask(first, [&](std::uint32_t i) { return i == lane; });
                break;
            case spv::BuiltInSubgroupGeMask:
                putMask(first, [&](std::uint32_t i) { return i >= lane; });
                break;
            case spv::BuiltInSubgroupGtMask:
                putMask(first, [&](std::uint32_t i) { return i > lane; });
                break;
            case spv::BuiltInSubgroupLeMask:
                putMask(first, [&](std::uint32_t i) { return i <= lane; });
                break;
            case spv::BuiltInSubgroupLtMask:
                putMask(first, [&](std::uint32_t i) { return i < lane; });
                break;
            case spv::BuiltInDeviceIndex:
                cells[first] = 0;
                break;
            default:
                faults_.unknown(0, fmt::format("built-in variable {}, which the emulator does not know", which));
        }
    }
}

std::unique_ptr<Group> GroupStarts::start()
{
    std::unique_ptr<Group> group;
    if (idle_.empty()) {
        group = std::make_unique<Group>();
        group->cells.reserve(std::size_t{state_.frame} * state_.code.invocations);
        group->marks.reserve(group->cells.capacity());
        for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
            group->cells.insert(group->cells.end(), state_.code.frame.begin(), state_.code.frame.end());
            group->marks.insert(group->marks.end(), state_.code.marks.begin(), state_.code.marks.end());
        }
        group->turns.resize(state_.code.loops.size() * state_.code.invocations);
        if (state_.settings.checks) group->sharedShadow.resize(state_.code.sharedCells);
    } else {
        group = std::move(idle_.back());
        idle_.pop_back();
    }
    group->started = static_cast<std::uint32_t>(state_.startedGroups);
    group->number = inOrder(state_.startedGroups++);
    group->id = groupId(group->number);
    group->phase = 0;
    group->messages.clear();
    group->more.clear();
    group->absent.clear();
    group->invocations.assign(state_.code.invocations, {});
    std::fill(group->turns.begin(), group->turns.end(), 0);
    group->shared = state_.code.sharedStart;
    group->sharedMarks = state_.code.sharedStartMarks;
    group->order.start(group->number, state_.code.invocations, state_.subgroupSize, sharedTime_,
                       state_.code.vulkanModel && state_.code.hasNonPrivate);
    group->isWatched = state_.settings.watchesAll || state_.settings.watched == group->number;
    group->history.clear();
    group->ordered.assign(state_.delays ? state_.code.invocations : 0, {});
    if (state_.tracer) group->origins.assign(group->cells.size(), 0);
    const std::size_t privates = state_.code.privatesEnd - state_.code.privates;
    for (std::uint32_t i = 0; i < state_.code.invocations; ++i) {
        const std::size_t begin = std::size_t{i} * state_.frame + state_.code.privates;
        std::copy_n(state_.code.frame.begin() + state_.code.privates, privates,
                    group->cells.begin() + static_cast<std::ptrdiff_t>(begin));
        std::copy_n(state_.code.marks.begin() + state_.code.privates, privates,
                    group->marks.begin() + static_cast<std::ptrdiff_t>(begin));
        setBuiltIns(*group, i);
        group->invocations[i].at = state_.code.functions[0].entry;
    }
    if (state_.settings.counts)
        group->counts.start(state_.code.invocations, state_.code.instructions.size(),
                            {state_.subgroupSize, std::max<std::uint32_t>(1, state_.settings.banks),
                             std::max<std::uint32_t>(1, state_.settings.conflictsTogether)});
    return group;
}

void GroupStarts::takeBack(std::unique_ptr<Group> group)
{
    sharedTime_ = std::max(sharedTime_, group->order.end() + 1);
    idle_.push_back(std::move(group));
}

}  // namespace a2::emulator
