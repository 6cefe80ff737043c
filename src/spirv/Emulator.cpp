#include "spirv/Emulator.h"

#include "a2/Error.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace a2 {

EmulatedKernel::EmulatedKernel(const SpirvModule& module, const Specialisation& given)
    : code_(std::make_unique<const emulator::Code>(emulator::decode(module, given)))
{
}
EmulatedKernel::~EmulatedKernel() = default;
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;
EmulatedKernel& EmulatedKernel::operator=(EmulatedKernel&&) noexcept = default;

std::uint32_t EmulatedKernel::invocations() const { return code_->invocations; }

Emulated emulate(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    return emulator::Walk(dispatch, settings).run();
}

namespace emulator {

namespace {

constexpr std::uint64_t patientTurns = std::uint64_t{1} << 16;  // before one that goes on and on counts as waiting
constexpr std::uint64_t mostShadowWords = std::uint64_t{1} << 26;

std::uint64_t shuffledBits(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    return x ^ x >> 31;
}

}  // namespace

Walk::Walk(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
    : code_(dispatch.kernel->code()), dispatch_(dispatch), settings_(settings), findings_(code_)
{
    frame_ = static_cast<std::uint32_t>(code_.frame.size());
    subgroupSize_ = std::clamp<std::uint32_t>(settings.subgroupSize, 1, 128);
    settings_.mostTurns = std::min<std::uint64_t>(settings.mostTurns, UINT32_MAX / 2);
    left_ = settings.budget;
    groups_ = 1;
    for (const std::uint32_t along : dispatch.groups)
        groups_ = along == 0 ? 0 : std::min<std::uint64_t>(groups_ * along, std::uint64_t{1} << 40);
    bind();
}

void Walk::bind()
{
    resources_.resize(code_.descriptors);
    std::vector<std::pair<EmulatedBuffer*, bool>> found;  // and whether it is written to
    const auto bindingOf = [&](const Variable& variable, std::uint32_t element) -> const EmulatedBinding* {
        for (const EmulatedBinding& one : dispatch_.bindings)
            if (one.set == variable.set && one.binding == variable.binding && one.element == element && one.buffer)
                return &one;
        return nullptr;
    };
    for (const EmulatedBinding& one : dispatch_.bindings)
        if (one.buffer && std::none_of(found.begin(), found.end(), [&](const auto& each) { return each.first == one.buffer; }))
            found.emplace_back(one.buffer, false);
    for (const Variable& variable : code_.variables) {
        if (variable.space != Space::buffer || !variable.written) continue;
        for (std::uint32_t element = 0; element < variable.count; ++element)
            if (const EmulatedBinding* one = bindingOf(variable, element))
                for (auto& each : found) each.second = each.second || each.first == one->buffer;
    }
    buffers_.resize(found.size());
    result_.uses.resize(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        BufferState& state = buffers_[i];
        state.buffer = found[i].first;
        state.words = state.buffer->words().data();
        state.set = state.buffer->setMarks().data();
        state.number = i;
        state.use = &result_.uses[i];
        const std::size_t words = state.buffer->words().size();
        state.use->buffer = state.buffer;
        state.use->read.resize(words / 64 + 1);
        state.use->written.resize(words / 64 + 1);
        if (!settings_.checks || !found[i].second) continue;
        if (words <= mostShadowWords)
            state.shadow.reset(static_cast<Shadow*>(std::calloc(std::max<std::size_t>(words, 1), sizeof(Shadow))));
        if (!state.shadow) result_.notes.emplace_back("a buffer is too long for races in it to be looked for");
    }
    for (std::uint32_t v = 0; v < code_.variables.size(); ++v) {
        const Variable& variable = code_.variables[v];
        if (variable.space != Space::buffer) continue;
        for (std::uint32_t element = 0; element < variable.count; ++element) {
            Resource& resource = resources_[variable.first + element];
            resource.variable = v;
            const EmulatedBinding* one = bindingOf(variable, element);
            if (!one) continue;
            for (BufferState& state : buffers_)
                if (state.buffer == one->buffer) resource.state = &state;
            resource.offset = std::min(one->offset, one->buffer->bytes());
            resource.bytes = std::min(one->bytes, one->buffer->bytes() - resource.offset);
        }
    }
}

std::array<std::uint32_t, 3> Walk::groupId(std::uint64_t number) const
{
    const auto& groups = dispatch_.groups;
    return {static_cast<std::uint32_t>(number % groups[0]), static_cast<std::uint32_t>(number / groups[0] % groups[1]),
            static_cast<std::uint32_t>(number / groups[0] / groups[1])};
}

// The number of the work-group that is started after so many others. A shuffled order is a walk through all numbers
// below a power of two, without those that there are not.
std::uint64_t Walk::inOrder(std::uint64_t place) const
{
    if (settings_.order == EmulatorSettings::Order::backwards) return groups_ - 1 - place;
    if (settings_.order == EmulatorSettings::Order::forwards || groups_ < 2) return place;
    const auto bits = static_cast<unsigned>(std::bit_width(groups_ - 1));
    const std::uint64_t mask = lowBits(bits);
    std::uint64_t one = place;
    do {  // a permutation of the numbers below 2^bits: each step can be undone
        for (std::uint64_t round = 0; round < 3; ++round) {
            one = (one * (shuffledBits(settings_.seed * 8 + round) | 1) + shuffledBits(settings_.seed + round)) & mask;
            one ^= one >> (bits / 2 + 1);
        }
    } while (one >= groups_);
    return one;
}

void Walk::setBuiltIns(Group& group, std::uint32_t invocation)
{
    Cell* cells = group.cells.data() + std::size_t{invocation} * frame_;
    const auto& size = code_.localSize;
    const std::array<std::uint32_t, 3> local = {invocation % size[0], invocation / size[0] % size[1],
                                                invocation / size[0] / size[1]};
    const std::uint32_t lane = invocation % subgroupSize_;
    const auto put = [&](std::uint32_t first, const std::array<std::uint32_t, 3>& all) {
        for (std::uint32_t i = 0; i < 3; ++i) cells[first + i] = all.at(i);
    };
    const auto putMask = [&](std::uint32_t first, auto&& has) {
        for (std::uint32_t i = 0; i < 4; ++i) {
            cells[first + i] = 0;
            for (std::uint32_t k = 0; k < 32; ++k)
                if (32 * i + k < subgroupSize_ && has(32 * i + k)) cells[first + i] |= Cell{1} << k;
        }
    };
    std::array<std::uint32_t, 3> groupId{}, global{};
    for (std::size_t i = 0; i < 3; ++i) {
        groupId.at(i) = dispatch_.base.at(i) + group.id.at(i);
        global.at(i) = groupId.at(i) * size.at(i) + local.at(i);
    }
    for (const auto& [which, first] : code_.builtIns) {
        switch (which) {
            case spv::BuiltInNumWorkgroups:
                put(first, dispatch_.groups);
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
                cells[first] = subgroupSize_;
                break;
            case spv::BuiltInNumSubgroups:
                cells[first] = (code_.invocations + subgroupSize_ - 1) / subgroupSize_;
                break;
            case spv::BuiltInSubgroupId:
                cells[first] = invocation / subgroupSize_;
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
                noteOnce(0, fmt::format("built-in variable {} is not known to the emulator: it is taken for 0", which));
        }
    }
}

std::unique_ptr<Group> Walk::startGroup()
{
    std::unique_ptr<Group> group;
    if (idle_.empty()) {
        group = std::make_unique<Group>();
        group->cells.resize(std::size_t{frame_} * code_.invocations);
        group->marks.resize(group->cells.size());
        for (std::uint32_t i = 0; i < code_.invocations; ++i) {
            std::copy(code_.frame.begin(), code_.frame.end(), group->cells.begin() + std::ptrdiff_t{i} * frame_);
            std::copy(code_.marks.begin(), code_.marks.end(), group->marks.begin() + std::ptrdiff_t{i} * frame_);
        }
        group->turns.resize(code_.loops.size() * code_.invocations);
        if (settings_.checks) group->sharedShadow.resize(code_.sharedCells);
    } else {
        group = std::move(idle_.back());
        idle_.pop_back();
    }
    group->started = static_cast<std::uint32_t>(startedGroups_);
    group->number = inOrder(startedGroups_++);
    group->id = groupId(group->number);
    group->phase = 0;
    group->clocks.clear();
    group->invocations.assign(code_.invocations, {});
    std::fill(group->turns.begin(), group->turns.end(), 0);
    group->shared = code_.sharedStart;
    group->sharedMarks = code_.sharedStartMarks;
    group->order.start(group->number, code_.invocations, subgroupSize_, sharedTime_);
    group->isWatched = settings_.watched == group->number;
    const std::size_t privates = code_.privatesEnd - code_.privates;
    for (std::uint32_t i = 0; i < code_.invocations; ++i) {
        const std::size_t begin = std::size_t{i} * frame_ + code_.privates;
        std::copy_n(code_.frame.begin() + code_.privates, privates, group->cells.begin() + static_cast<std::ptrdiff_t>(begin));
        std::copy_n(code_.marks.begin() + code_.privates, privates, group->marks.begin() + static_cast<std::ptrdiff_t>(begin));
        setBuiltIns(*group, i);
        group->invocations[i].at = code_.functions[0].entry;
    }
    if (settings_.counts) group->counts.start(code_.invocations, code_.instructions.size(), group->isWatched);
    return group;
}

void Walk::finishGroup(Group& group)
{
    endPhase(group, true);
    if (settings_.counts) group.counts.end(subgroupSize_, result_);
    for (const Invocation& one : group.invocations) {
        ++result_.invocations;
        result_.idle += !one.acted;
    }
    sharedTime_ = std::max(sharedTime_, group.order.end() + 1);
}

// All that have started wait: one more is started. Who it helps has waited for what nobody promises.
void Walk::unblock(std::deque<std::unique_ptr<Group>>& live)
{
    for (auto& group : live) {
        group->blocked = false;
        for (Invocation& one : group->invocations)
            if (one.status == Status::stuck || one.status == Status::paused)
                one.waitingSince = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(startedGroups_));
    }
    live.push_front(startGroup());
    lateGroups_[live.front()->number] = live.front()->started;
}

// Nobody is left who could end the waiting.
void Walk::endWaiting(std::deque<std::unique_ptr<Group>>& live)
{
    for (auto& group : live)
        for (std::uint32_t i = 0; i < code_.invocations; ++i) {
            const Invocation& one = group->invocations[i];
            if (one.status != Status::stuck) continue;
            const std::uint32_t loop = code_.loopOf[one.at];
            const std::uint32_t at = loop == none ? one.at : code_.loops[loop].begin;
            if (KernelFinding* finding = findings_.add("endless-loop", at, none)) {
                finding->actor = describe(*group, i);
                finding->what = called(finding->actor, nullptr) + " waits in a loop for what nobody does any more";
            }
        }
    stop_ = unknown_ = true;
}

Emulated Walk::run()
{
    if (groups_ * code_.invocations >= UINT32_MAX) {
        result_.notes.push_back(fmt::format("{} work-groups are more than are followed", groups_));
        return std::move(result_);
    }
    std::deque<std::unique_ptr<Group>> live;
    const std::size_t together = std::max<std::uint32_t>(1, settings_.together);
    std::size_t waiting = 0;  // of those in `live`, how many in a row have not gone on
    while (!stop_) {
        while (live.size() < together && startedGroups_ < groups_ && waiting == 0) live.push_back(startGroup());
        if (live.empty()) break;
        if (waiting >= live.size()) {
            waiting = 0;
            const bool sleeping = std::all_of(live.begin(), live.end(), [](const auto& group) { return group->blocked; });
            if (sleeping && startedGroups_ < groups_)
                unblock(live);
            else if (std::none_of(live.begin(), live.end(), [&](const auto& group) {
                         return std::any_of(group->invocations.begin(), group->invocations.end(), [&](const Invocation& one) {
                             return one.status == Status::paused || (one.status == Status::stuck && one.watchedMemory != memory_);
                         });
                     })) {
                endWaiting(live);
                break;
            }
        }
        std::unique_ptr<Group> group = std::move(live.front());
        live.pop_front();
        Progress progress = advance(*group);
        while (progress == Progress::barrier && together == 1 && !stop_) progress = advance(*group);
        if (stop_) break;
        switch (progress) {
            case Progress::done:
                finishGroup(*group);
                idle_.push_back(std::move(group));
                waiting = 0;
                continue;
            case Progress::barrier:
                group->blocked = false;
                waiting = 0;
                break;
            case Progress::stuck:
                group->blocked = true;
                ++waiting;
                break;
            case Progress::paused:
                // One that takes long is not one that waits, as long as nobody else could go on instead of it.
                group->blocked = std::all_of(group->invocations.begin(), group->invocations.end(), [](const Invocation& one) {
                    return one.status != Status::paused || one.turnsWaited >= patientTurns;
                });
                ++waiting;
                break;
        }
        live.push_back(std::move(group));
    }
    result_.complete = !stop_ && !unknown_ && startedGroups_ == groups_;
    result_.findings = findings_.take();
    return std::move(result_);
}

}  // namespace emulator

}  // namespace a2
