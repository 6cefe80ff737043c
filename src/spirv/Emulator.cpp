#include "spirv/Emulator.h"

#include "a2/Error.h"
#include "spirv/EmulatorCores.h"
#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorSpins.h"
#include "spirv/EmulatorStops.h"
#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace a2 {

std::uint64_t countOf(const WordBits& bits)
{
    std::uint64_t count = 0;
    for (const std::uint64_t one : bits) count += static_cast<std::uint64_t>(std::popcount(one));
    return count;
}

namespace {

// What atomics make of a word in any order, if all of them have this effect. 0: it depends on the order. (Sums of
// floats are rounded.)
std::uint16_t commutingOp(std::uint16_t op)
{
    if (emulator::addsWhole(op)) return spv::OpAtomicIAdd;
    switch (op) {
        case spv::OpAtomicSMin:
        case spv::OpAtomicUMin:
        case spv::OpAtomicSMax:
        case spv::OpAtomicUMax:
        case spv::OpAtomicAnd:
        case spv::OpAtomicOr:
        case spv::OpAtomicXor:
            return op;
        default:
            return 0;
    }
}

}  // namespace

EmulatedKernel::EmulatedKernel(const SpirvModule& module, const Specialisation& given, const Observed& observed)
    : code_(std::make_unique<const emulator::Code>(emulator::decode(module, given, observed)))
{
    atomics_.resize(code_->atomics.size());
    const emulator::Findings lines(*code_);
    using Doing = std::pair<std::uint16_t, std::uint32_t>;  // commutingOp, and bits
    std::map<bool, std::set<Doing>> done;                   // by inBuffer
    for (std::uint32_t at = 0; at < code_->instructions.size(); ++at) {
        const emulator::Instruction& one = code_->instructions[at];
        if (!emulator::isAtomic(one.op)) continue;
        const emulator::Atomic& about = code_->atomics[one.count];
        const emulator::Space space = code_->accesses[about.access].space;
        const bool inLoop = code_->loopOf[at] != emulator::none;
        atomics_[one.count] = {lines.lineOf(at),
                               space == emulator::Space::buffer,
                               inLoop,
                               about.isUsed || one.op == spv::OpAtomicExchange,
                               one.op == spv::OpAtomicCompareExchange && (inLoop || code_->functionOf[at] != 0),
                               emulator::mayBeLate(*code_, one),
                               about.mayBeEarly};
        const std::uint16_t op = about.isUsed ? std::uint16_t{0} : commutingOp(one.op);
        done[space == emulator::Space::buffer].insert({op, one.width});
    }
    for (Atomic& one : atomics_) {
        const std::set<Doing>& all = done[one.inBuffer];
        one.commutes = all.size() == 1 && all.begin()->first != 0;
    }
}
EmulatedKernel::~EmulatedKernel() = default;
EmulatedKernel::EmulatedKernel(EmulatedKernel&&) noexcept = default;
EmulatedKernel& EmulatedKernel::operator=(EmulatedKernel&&) noexcept = default;

std::vector<KernelLine> EmulatedKernel::lines() const
{
    std::vector<KernelLine> all;
    const emulator::Findings findings(*code_);
    for (std::uint32_t at = 0; at < code_->instructions.size(); ++at)
        if (code_->instructions[at].op == emulator::op::line) all.push_back(findings.lineOf(at));
    return all;
}

std::uint32_t EmulatedKernel::invocations() const { return code_->invocations; }

bool EmulatedKernel::readsSubgroupSize() const
{
    return std::ranges::any_of(code_->builtIns, [](const auto& one) { return one.first == spv::BuiltInSubgroupSize; });
}

bool EmulatedKernel::usesSubgroups() const
{
    constexpr std::array<std::uint32_t, 9> ofSubgroups = {
        spv::BuiltInSubgroupSize,   spv::BuiltInNumSubgroups,
        spv::BuiltInSubgroupId,     spv::BuiltInSubgroupLocalInvocationId,
        spv::BuiltInSubgroupEqMask, spv::BuiltInSubgroupGeMask,
        spv::BuiltInSubgroupGtMask, spv::BuiltInSubgroupLeMask,
        spv::BuiltInSubgroupLtMask};
    return std::ranges::any_of(code_->builtIns,
                               [&](const auto& one) { return std::ranges::count(ofSubgroups, one.first) > 0; }) ||
           std::ranges::any_of(code_->instructions, [](const auto& one) { return emulator::isOfSubgroup(one.op); });
}

Emulated emulate(const EmulatedDispatch& dispatch, const EmulatorSettings& settings)
{
    std::optional<emulator::OtherWays> otherWays;
    if (!settings.isFollowed()) otherWays = emulator::otherWaysOf(dispatch, settings);
    std::optional<Emulated> onCores = emulator::emulateOnCores(dispatch, settings);
    Emulated walked = onCores ? std::move(*onCores) : emulator::Walk(dispatch, settings).run();
    if (otherWays && walked.complete && walked.findings.empty()) otherWays->walk(settings, walked);
    return walked;
}

namespace emulator {

namespace {

constexpr std::uint64_t patientTurns = std::uint64_t{1} << 16;      // more without an end count as waiting
constexpr std::uint64_t mostWaitingCells = std::uint64_t{1} << 25;  // of waiting work-groups: no device runs as many
constexpr std::uint64_t mostShadowWords = std::uint64_t{1} << 26;

constexpr std::uint64_t mostWhileHeld = std::uint64_t{1} << 18;  // instructions
constexpr std::uint64_t betweenLooks = std::uint64_t{1} << 22;   // instructions between two checks whether to end

std::uint64_t shuffledBits(std::uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ULL;
    x = (x ^ x >> 27) * 0x94D049BB133111EBULL;
    return x ^ x >> 31;
}

}  // namespace

std::uint64_t groupsOf(const EmulatedDispatch& dispatch)
{
    std::uint64_t groups = 1;
    for (const std::uint32_t along : dispatch.groups)
        groups = along == 0 ? 0 : std::min<std::uint64_t>(groups * along, std::uint64_t{1} << 40);
    return groups;
}

Walk::Walk(const EmulatedDispatch& dispatch, const EmulatorSettings& settings, std::uint64_t first,
           std::uint64_t groups)
    : code_(dispatch.kernel->code()),
      dispatch_(dispatch),
      settings_(settings),
      findings_(code_),
      firstGroup_(first),
      groups_(std::min(groups, groupsOf(dispatch)))
{
    frame_ = static_cast<std::uint32_t>(code_.frame.size());
    subgroupSize_ = std::clamp<std::uint32_t>(settings.subgroupSize, 1, 128);
    lastFirst_ = settings.order == EmulatorSettings::Order::backwards;
    settings_.mostTurns = std::min<std::uint64_t>(settings.mostTurns, UINT32_MAX / 2);
    anyOrder_.start(0, code_.invocations, subgroupSize_, 1, code_.vulkanModel && code_.hasNonPrivate);
    knownPush_ = dispatch.push.size();
    if (const auto& pushed = dispatch.pushed; !pushed.empty())
        knownPush_ = std::min<std::uint64_t>(
            knownPush_, static_cast<std::uint64_t>(std::find(pushed.begin(), pushed.end(), false) - pushed.begin()));
    left_ = settings.ends ? std::min(settings.budget, betweenLooks) : settings.budget;
    later_ = settings.budget - left_;
    if (settings.traces)
        tracer_ = std::make_unique<Tracer>(code_, [this](std::uint32_t at) { return findings_.lineOf(at); });
    for (const EmulatorSettings::Pause& one : settings.pauses) {
        using Way = EmulatorSettings::Pause::Way;
        delays_ = delays_ || one.way != Way::pauses;
        remembers_ = remembers_ || one.way == Way::early;
    }
    if (settings.watchedAlone) groups_ = settings.watched.value_or(0) < groups_ ? 1 : 0;
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
        if (one.buffer &&
            std::none_of(found.begin(), found.end(), [&](const auto& each) { return each.first == one.buffer; }))
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
        state.isWritten = found[i].second;
        const std::size_t words = state.buffer->words().size();
        state.use->buffer = state.buffer;
        state.use->read.resize(words / 64 + 1);
        state.use->written.resize(words / 64 + 1);
        if (!settings_.checks || !found[i].second) continue;
        if (words <= mostShadowWords)
            state.shadows = Shadows(words);
        else
            result_.unchecked = fmt::format("a buffer of {} words is too long for races in it to be looked for", words);
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
    lookForAliases();
    std::uint64_t words = 0;
    for (const EmulatedBinding& one : dispatch_.bindings)
        if (one.buffer) words += std::min(one.bytes, one.buffer->bytes()) / sizeof(std::uint32_t);
    if (words > EmulatorSettings::fewWords || settings_.endlessTurns == 0) settings_.endlessTurns = UINT64_MAX;
    // All invocations of a subgroup take these turns, and as many of them for the same amount of work.
    constexpr std::uint64_t fewTogether = std::uint64_t{1} << 16;
    endlessTogether_ = std::min(settings_.endlessTurns, std::max(fewTogether, 8 * words));
}

std::array<std::uint32_t, 3> Walk::groupId(std::uint64_t number) const
{
    const auto& groups = dispatch_.groups;
    return {static_cast<std::uint32_t>(number % groups[0]), static_cast<std::uint32_t>(number / groups[0] % groups[1]),
            static_cast<std::uint32_t>(number / groups[0] / groups[1])};
}

// Whether no instruction may follow the last `steps`, which left_ does not include yet.
bool Walk::usedUp(std::uint64_t steps)
{
    if (steps < left_) return false;
    if (!stop_ && later_ > 0 && !settings_.ends()) {
        const std::uint64_t more = std::min(later_, steps - left_ + betweenLooks);
        later_ -= more;
        left_ += more;
        return false;
    }
    stop_ = result_.overBudget = true;
    return true;
}

// The number of the work-group that starts after this many others. A shuffled order goes through all numbers below a
// power of two, and skips those beyond the last work-group.
std::uint64_t Walk::inOrder(std::uint64_t place) const
{
    if (settings_.watchedAlone) return settings_.watched.value_or(0);
    if (settings_.order == EmulatorSettings::Order::backwards) return groups_ - 1 - place;
    if (settings_.order == EmulatorSettings::Order::forwards || groups_ < 2) return firstGroup_ + place;
    const auto bits = static_cast<unsigned>(std::bit_width(groups_ - 1));
    const std::uint64_t mask = lowBits(bits);
    std::uint64_t one = place;
    do {  // a permutation of the numbers below 2^bits: each step is reversible
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
                cells[first] = std::max(settings_.namedSubgroupSize, subgroupSize_);
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
                noteUnknown(0, fmt::format("built-in variable {}, which the emulator does not know", which));
        }
    }
}

std::unique_ptr<Group> Walk::startGroup()
{
    std::unique_ptr<Group> group;
    if (idle_.empty()) {
        group = std::make_unique<Group>();
        group->cells.reserve(std::size_t{frame_} * code_.invocations);
        group->marks.reserve(group->cells.capacity());
        for (std::uint32_t i = 0; i < code_.invocations; ++i) {
            group->cells.insert(group->cells.end(), code_.frame.begin(), code_.frame.end());
            group->marks.insert(group->marks.end(), code_.marks.begin(), code_.marks.end());
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
    group->messages.clear();
    group->more.clear();
    group->absent.clear();
    group->invocations.assign(code_.invocations, {});
    std::fill(group->turns.begin(), group->turns.end(), 0);
    group->shared = code_.sharedStart;
    group->sharedMarks = code_.sharedStartMarks;
    group->order.start(group->number, code_.invocations, subgroupSize_, sharedTime_,
                       code_.vulkanModel && code_.hasNonPrivate);
    group->isWatched = settings_.watchesAll || settings_.watched == group->number;
    group->history.clear();
    group->ordered.assign(delays_ ? code_.invocations : 0, {});
    if (tracer_) group->origins.assign(group->cells.size(), 0);
    const std::size_t privates = code_.privatesEnd - code_.privates;
    for (std::uint32_t i = 0; i < code_.invocations; ++i) {
        const std::size_t begin = std::size_t{i} * frame_ + code_.privates;
        std::copy_n(code_.frame.begin() + code_.privates, privates,
                    group->cells.begin() + static_cast<std::ptrdiff_t>(begin));
        std::copy_n(code_.marks.begin() + code_.privates, privates,
                    group->marks.begin() + static_cast<std::ptrdiff_t>(begin));
        setBuiltIns(*group, i);
        group->invocations[i].at = code_.functions[0].entry;
    }
    if (settings_.counts)
        group->counts.start(code_.invocations, code_.instructions.size(),
                            {subgroupSize_, std::max<std::uint32_t>(1, settings_.banks),
                             std::max<std::uint32_t>(1, settings_.conflictsTogether)});
    return group;
}

void Walk::finishGroup(Group& group)
{
    endPhase(group, none);
    std::erase_if(late_, [&](const LateAtomic& one) { return one.word.home == &group; });
    for (const Invocation& one : group.invocations) {
        ++result_.invocations;
        result_.idle += !one.acted;
    }
    sharedTime_ = std::max(sharedTime_, group.order.end() + 1);
}

// All that have started wait: starts one more. If it helps one of them, that one has waited for something without a
// guarantee.
void Walk::unblock()
{
    for (auto& group : live_) {
        group->blocked = false;
        for (Invocation& one : group->invocations)
            if (one.status == Status::stuck || one.status == Status::paused)
                one.waitingSince = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(startedGroups_));
    }
    live_.push_back(startGroup());
    lateGroups_[live_.back()->number] = live_.back()->started;
}

// Whether those that are held or late wait a little longer, while another one goes on and on from barrier to barrier.
bool Walk::isPatient() const { return settings_.pauses.empty() || result_.instructions - heldSince_ < mostWhileHeld; }

// Requires that at least one is held.
std::vector<Walk::Held>::iterator Walk::nextHeld()
{
    const EmulatorSettings::Pause& pause = settings_.pauses[held_.front().pause];
    if (!pause.eachTime) return pause.lastFirst ? held_.end() - 1 : held_.begin();
    if (!goesLast_) goesLast_ = {held_.back().group, held_.back().invocation};
    const auto first = [&](bool last) {
        return std::find_if(held_.begin(), held_.end(), [&](const Held& one) {
            return one.round <= round_ && (std::pair(one.group, one.invocation) == *goesLast_) == last;
        });
    };
    for (;; ++round_)
        for (const bool last : {false, true})
            if (const auto found = first(last); found != held_.end()) return found;
}

// All others have ended or wait: one of those that were held goes on. False: there is none.
bool Walk::letGoOn()
{
    if (held_.empty()) return settleFirst();
    heldSince_ = result_.instructions;
    const auto place = nextHeld();
    const Held next = *place;
    held_.erase(place);
    for (auto& group : live_)
        if (group->number == next.group) {
            group->blocked = false;
            group->invocations[next.invocation].status = Status::ready;
        }
    return true;
}

// Whether all invocations that have not ended wait for memory to change, and none of them changes it.
bool Walk::isHopeless() const
{
    std::vector<std::pair<const Group*, const LoopOutlook*>> all;
    for (const auto& group : live_)
        for (const Invocation& one : group->invocations) {
            if (one.status != Status::paused && one.status != Status::stuck) continue;
            if (!waitsStill(*group, one)) return false;
            all.emplace_back(group.get(), one.waitsFor.get());
        }
    for (const auto& [group, one] : all)
        for (const TouchedWord& touched : one->touched)
            for (const auto& [otherGroup, other] : all) {
                if (other == one || (touched.name.buffer == WordName::sharedMemory && group != otherGroup)) continue;
                if (std::any_of(other->watched.begin(), other->watched.end(), [&](const WatchedWord& word) {
                        return word.name == touched.name && (word.bits & touched.bits) != 0;
                    }))
                    return false;
            }
    return true;
}

// No invocation is left that could end the waiting.
void Walk::endWaiting()
{
    for (auto& group : live_)
        for (std::uint32_t i = 0; i < code_.invocations; ++i) {
            const Invocation& one = group->invocations[i];
            if (one.status == Status::ended || !one.waitsFor) continue;
            foundEndless(*group, i, one.watchedLoop,
                         " waits in a loop for something that no invocation will do any more");
        }
    stop_ = unknown_ = true;
}

// Returns whether the work-group has gone on; if not, it waits for others, or takes very long.
bool Walk::advanceOne(std::size_t place)
{
    Group& group = *live_[place];
    const std::uint64_t before = memory_;
    Progress progress = advance(group);
    while (progress == Progress::barrier && settings_.together <= 1 && !stop_ && isPatient()) progress = advance(group);
    if (stop_) return false;
    switch (progress) {
        case Progress::done:
            finishGroup(group);
            idle_.push_back(std::move(live_[place]));
            return true;
        case Progress::barrier:
            group.blocked = false;
            return true;
        case Progress::stuck:
            group.blocked = true;
            return before != memory_;
        case Progress::paused:
            group.blocked = std::all_of(group.invocations.begin(), group.invocations.end(), [&](const Invocation& one) {
                return one.status != Status::paused || one.turnsWaited >= patientTurns || waitsStill(group, one);
            });
            return !group.blocked;
    }
    return false;
}

// One round of all work-groups that have started. The first round goes in their order, so that the ticket that each
// draws is its number; other rounds go from the last to the first, so that a work-group that waits for an earlier one
// comes before it. Returns whether any has gone on.
bool Walk::advanceAll()
{
    bool any = false;
    const std::size_t count = live_.size();
    bool turned = rounds_ > 0 && settings_.order == EmulatorSettings::Order::forwards;
    if (settings_.order == EmulatorSettings::Order::shuffled)
        turned = (shuffledBits(settings_.seed + rounds_) & 1) != 0;
    for (std::size_t i = 0; i < count && !stop_; ++i) any = advanceOne(turned ? count - 1 - i : i) || any;
    ++rounds_;
    std::erase(live_, nullptr);
    return any;
}

Emulated Walk::run()
{
    if ((firstGroup_ + groups_) * code_.invocations >= UINT32_MAX) {
        noteUnknown(0, fmt::format("{} work-groups are more than are followed", groups_));
        return std::move(result_);
    }
    const std::size_t together = std::max<std::uint32_t>(1, settings_.together);
    while (!stop_) {
        while (live_.size() < together && startedGroups_ < groups_) live_.push_back(startGroup());
        if (live_.empty()) break;
        const bool any = advanceAll();
        if (stop_) continue;
        if (any) {
            if (!isPatient() && !letGoOn()) heldSince_ = result_.instructions;
            continue;
        }
        const bool room = live_.size() * code_.invocations * frame_ < mostWaitingCells;
        if ((!held_.empty() || !late_.empty()) && startedGroups_ < groups_ && room) {
            live_.push_back(startGroup());
            continue;
        }
        if (letGoOn()) continue;
        if (startedGroups_ < groups_ && room) {
            unblock();
            continue;
        }
        if (isHopeless()) endWaiting();
    }
    while (settleFirst()) {
    }
    if (result_.overBudget) lookAtLoops();
    if (settings_.atLine) settings_.atLine(Standing(*this));
    result_.complete = !stop_ && !unknown_ && startedGroups_ == groups_;
    result_.findings = findings_.take();
    if (tracer_) result_.trace = tracer_->take();
    return std::move(result_);
}

}  // namespace emulator

}  // namespace a2
