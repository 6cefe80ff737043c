#include "spirv/EmulatorFindings.h"

#include "spirv/EmulatorWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace a2::emulator {

namespace {

// What is lacking if order alone would not be enough, and what to do about it; empty: order would be enough.
struct Explained {
    std::string what, cure;
};

// What the conflict lacks besides order; empty if it lacks order.
Explained lackOf(const Conflict& conflict)
{
    static constexpr std::array<const char*, 4> scopes = {"Invocation", "Subgroup", "Workgroup", "Device"};
    static constexpr std::array<const char*, 4> coherent = {"", "subgroupcoherent", "workgroupcoherent",
                                                            "devicecoherent"};
    const auto at = static_cast<std::size_t>(conflict.scope);
    switch (conflict.lack) {
        case Lack::notPrivate:
            return {", and under Vulkan's memory model it is private to each of them",
                    fmt::format("declare its buffer {}, or nonprivate", coherent[at])};
        case Lack::availability:
            return {", which comes later, and nothing makes it available that far",
                    fmt::format("declare its buffer {}, or let the writer release with gl_SemanticsMakeAvailable and "
                                "gl_Scope{}",
                                coherent[at], scopes[at])};
        case Lack::visibility:
            return {", which comes later, and is available, but nothing makes it visible there",
                    fmt::format("declare its buffer {}, or let the reader acquire with gl_SemanticsMakeVisible and "
                                "gl_Scope{}",
                                coherent[at], scopes[at])};
        default:
            return {};
    }
}

// What to do if one of the two accesses is an atomic already; else empty.
std::string cureBesideAtomic(std::uint16_t one, std::uint16_t other)
{
    if (isAtomic(one) == isAtomic(other)) return "";
    const char* does = (isAtomic(one) ? other : one) == op::store
                           ? "write it by an atomic, too, such as atomicExchange()"
                           : "read it by an atomic, too, such as atomicOr(it, 0)";
    return fmt::format("{}, or do that in another dispatch", does);
}

}  // namespace

KernelFinding* Findings::add(const char* rule, std::uint32_t at, std::uint32_t otherAt)
{
    const auto place = [&](std::uint32_t one) { return one == none ? Place() : code_.places[one]; };
    const auto same = [&](std::uint32_t a, std::uint32_t b) {
        return a == b || (place(a).line != 0 && place(a).line == place(b).line && place(a).file == place(b).file);
    };
    const auto key = std::minmax(at, otherAt);
    const auto [found, isNew] = known_.try_emplace({rule, key.first, key.second}, all_.size());
    if (isNew) {
        // One line of GLSL may become several instructions.
        for (const auto& [other, number] : known_) {
            if (number >= all_.size() || std::get<0>(other) != rule) continue;
            const std::uint32_t a = std::get<1>(other), b = std::get<2>(other);
            if ((same(a, at) && same(b, otherAt)) || (same(a, otherAt) && same(b, at))) {
                found->second = number;
                break;
            }
        }
    }
    if (found->second < all_.size()) {
        ++all_[found->second].times;
        return nullptr;
    }
    if (all_.size() >= most) {
        found->second = SIZE_MAX;
        return nullptr;
    }
    KernelFinding finding;
    finding.rule = rule;
    finding.where = lineOf(at);
    if (otherAt != none) finding.other = lineOf(otherAt);
    all_.push_back(std::move(finding));
    return &all_.back();
}

KernelLine Findings::lineOf(std::uint32_t at) const
{
    KernelLine line;
    const Place place = code_.places[at];
    const auto source = code_.sources.find(place.file);
    if (place.line == 0 || source == code_.sources.end()) return line;
    line.file = source->second.name;
    line.line = place.line;
    line.source = sourceLine(source->second.text, place.line);
    return line;
}

KernelActor Walk::describe(const Group& group, std::uint32_t invocation) const
{
    const auto& size = code_.localSize;
    return {group.number,
            invocation,
            {invocation % size[0], invocation / size[0] % size[1], invocation / size[0] / size[1]}};
}

KernelActor Walk::describeThread(const Group& group, const Use& use, Kept kept) const
{
    if (kept == Kept::shared) return describe(group, use.thread - 1);
    KernelActor actor = describe(group, (use.thread - 1) % code_.invocations);
    actor.group = (use.thread - 1) / code_.invocations;
    return actor;
}

// before: the invocation named last; the same work-group need not be named again.
std::string Walk::called(const KernelActor& actor, const KernelActor* before) const
{
    std::string text = fmt::format("invocation {}", actor.invocation);
    if (code_.localSize[1] > 1 || code_.localSize[2] > 1)
        text = fmt::format("invocation ({}, {}, {})", actor.local[0], actor.local[1], actor.local[2]);
    if (!before || before->group != actor.group) text += fmt::format(" of work-group {}", actor.group);
    return text;
}

std::string Walk::does(std::uint32_t at, const std::string& what) const
{
    switch (code_.instructions[at].op) {
        case op::load:
            return "reads " + what;
        case op::store:
            return "writes " + what;
        default:
            return "uses " + what + " atomically";
    }
}

void Walk::foundRace(const Actor& actor, const Conflict& conflict, Kept kept, std::uint32_t variable,
                     std::uint64_t offset, const Ways& ways)
{
    const Use& other = conflict.other;
    KernelFinding* finding = findings_.add(kept == Kept::shared ? "shared-race" : "global-race", actor.at, other.at);
    if (!finding) return;
    const Variable& what = code_.variables[variable];
    finding->actor = describe(actor.group, actor.invocation);
    finding->otherActor = describeThread(actor.group, other, kept);
    finding->variable = what.name;
    finding->element = elementName(code_, what, offset);
    const bool sameGroup = finding->actor.group == finding->otherActor.group;
    const bool bothWrite = ways.writes && code_.instructions[other.at].op == op::store;
    const bool weak = kept == Kept::shared && code_.weakBarriers;
    const char* between = !sameGroup ? ", and nothing orders work-groups but atomics with memory barriers"
                          : weak ? ", with no barrier() between that orders shared memory, as a controlBarrier() of "
                                   "this kernel does not"
                          : kept == Kept::shared ? ", with no barrier() between"
                          : code_.groupBarriers  ? ", with no memoryBarrierBuffer() and barrier() between"
                                                 : ", with no barrier() between";
    Explained lack = lackOf(conflict);
    const Reach least = sameGroup ? Reach::group : Reach::device;
    const bool bothAtomic = isAtomic(code_.instructions[actor.at].op) && isAtomic(code_.instructions[other.at].op);
    const bool narrow = bothAtomic && std::min(ways.reach, static_cast<Reach>(other.reach)) < least;
    if (narrow)
        lack = {", and the scope of an atomic does not include both invocations",
                fmt::format("give both atomics {}, or no scope, which is the device's",
                            sameGroup ? "gl_ScopeWorkgroup or gl_ScopeDevice" : "gl_ScopeDevice")};
    finding->cure = std::move(lack.cure);
    if (weak && !narrow)
        finding->cure =
            "call barrier() there, or give controlBarrier() the memory scope gl_ScopeWorkgroup, "
            "gl_StorageSemanticsShared and gl_SemanticsAcquireRelease";
    // One line, two invocations: a barrier does not help, because both use the same index.
    if (finding->cure.empty() && bothWrite && actor.at == other.at)
        finding->cure = !sameGroup ? "let each work-group write elements of its own, counted by workGroupNumber()"
                        : ways.same
                            ? "let one invocation of the work-group alone write it: if (gl_LocalInvocationID.x == 0)"
                            : "let one invocation alone write it: guard the index, such as if (index < count)";
    if (finding->cure.empty() && !sameGroup)
        finding->cure = cureBesideAtomic(code_.instructions[actor.at].op, code_.instructions[other.at].op);
    if (finding->cure.empty())
        finding->cure = kept == Kept::shared ? "put a barrier() between the two accesses, outside every condition"
                        : sameGroup          ? "put memoryBarrierBuffer() and barrier() between the two accesses"
                        : code_.atomics.empty()
                            ? "do one of them in another dispatch, or both by atomics"
                            : "do one of them in another dispatch, or tell of it by an atomic, with "
                              "memoryBarrierBuffer() before that one and after the one that reads it";
    const std::string second = kept == Kept::buffers ? secondName(variable, offset) : "";
    finding->what = fmt::format(
        "{} {}{}, and {} {}{}{}", called(finding->actor, nullptr), does(actor.at, "'" + finding->element + "'"),
        second.empty() ? "" : fmt::format(" (one buffer is bound twice: it is '{}', too)", second),
        called(finding->otherActor, &finding->actor), does(other.at, "it"), lack.what.empty() ? between : lack.what,
        bothWrite && ways.same ? " (the same value, which is a race all the same)" : "");
}

// The name of a byte in another variable that names the same buffer; empty if there is none.
std::string Walk::secondName(std::uint32_t variable, std::uint64_t offset) const
{
    const auto own = std::ranges::find(resources_, variable, &Resource::variable);
    if (own == resources_.end() || !own->state) return "";
    const std::uint64_t byte = own->offset + offset;
    for (const Resource& one : resources_)
        if (one.variable != variable && one.state == own->state && byte >= one.offset && byte - one.offset < one.bytes)
            return elementName(code_, code_.variables[one.variable], byte - one.offset);
    return "";
}

// An invocation has waited for something that another one of its work-group has now done; nothing guarantees that this
// happens first.
void Walk::noteAwaited(const Group& group, std::uint32_t invocation, const WordName& name)
{
    if (!settings_.checks) return;
    result_.endangers = true;
    const Invocation& self = group.invocations[invocation];
    KernelFinding* finding = findings_.add("forward-progress", code_.loops[self.watchedLoop].begin, none);
    if (!finding) return;
    finding->actor = finding->otherActor = describe(group, invocation);
    if (name.buffer == WordName::sharedMemory) {
        if (const std::uint32_t at = variableAt(Space::shared, name.word); at != none) {
            finding->variable = code_.variables[at].name;
            finding->element = elementName(code_, code_.variables[at], name.word - code_.variables[at].first);
        }
    } else {
        for (const Resource& one : resources_) {
            if (one.state != &buffers_[name.buffer] || name.word * 4 < one.offset) continue;
            finding->variable = code_.variables[one.variable].name;
            finding->element = elementName(code_, code_.variables[one.variable], name.word * 4 - one.offset);
            break;
        }
    }
    finding->what = called(finding->actor, nullptr) + " waits in a loop for '" + finding->element +
                    "', which another invocation of its work-group writes: one that need not go on before it does";
}

namespace {

const char* const guardIndex = "guard the access with a condition on the index";

}  // namespace

// For a pointer that has left an array, or is null.
void Walk::foundOutside(const Actor& actor, const Cell* pointer, bool writes)
{
    const std::uint64_t bad = pointer[2];
    result_.endangers = true;
    KernelFinding* finding = findings_.add("out-of-bounds", actor.at, none);
    if (!finding) return;
    finding->actor = describe(actor.group, actor.invocation);
    const std::string who = called(finding->actor, nullptr);
    const char* does = writes ? "writes" : "reads";
    finding->cure = guardIndex;
    if (bad == 0 || bad > code_.steps.size()) {
        finding->what = fmt::format("{} {} through an invalid pointer", who, does);
        return;
    }
    const Step& step = code_.steps[bad - 1];
    const auto index = static_cast<std::int64_t>(pointer[1]);
    finding->variable = code_.names[step.name];
    finding->element = fmt::format("{}[{}]", finding->variable, index);
    finding->what = step.length > 0 ? fmt::format("{} {} element {} of '{}', which has {} elements", who, does, index,
                                                  finding->variable, step.length)
                                    : fmt::format("{} {} element {} of '{}'", who, does, index, finding->variable);
    if (step.length > 0 && index >= 0) finding->cure += fmt::format(", or make '{}' longer", finding->variable);
}

void Walk::foundBehindEnd(const Actor& actor, const Resource& resource, std::uint64_t offset, bool writes,
                          const char* problem)
{
    constexpr std::uint64_t near = 256;  // bytes
    // An offset before the first byte has wrapped round to a very large one.
    result_.endangers = result_.endangers || offset + near >= resource.bytes + 2 * near;
    KernelFinding* finding = findings_.add("out-of-bounds", actor.at, none);
    if (!finding) return;
    finding->actor = describe(actor.group, actor.invocation);
    const Variable& variable = code_.variables[resource.variable];
    finding->variable = variable.name;
    // If a vector begins inside, name its first component that is outside.
    if (!problem && offset < resource.bytes)
        offset += (resource.bytes - offset) / sizeof(std::uint32_t) * sizeof(std::uint32_t);
    finding->element = elementName(code_, variable, offset);
    const std::string who = called(finding->actor, nullptr);
    const char* does = writes ? "writes" : "reads";
    finding->what = problem ? fmt::format("{} {} '{}', {}", who, does, finding->element, problem)
                            : fmt::format("{} {} '{}', at byte {}, and {} byte{} bound", who, does, finding->element,
                                          offset, resource.bytes, resource.bytes == 1 ? " is" : "s are");
    if (problem)
        finding->cure = resource.state ? "declare the block as a buffer that the kernel may write"
                                       : "bind a descriptor set that has it, before the dispatch";
    else
        finding->cure = paddingText(code_, variable);
    if (finding->cure.empty()) finding->cure = guardIndex;
}

namespace {

const char* nameOfShuffle(std::uint16_t opcode)
{
    switch (opcode) {
        case spv::OpGroupNonUniformBroadcast:
            return "subgroupBroadcast()";
        case spv::OpGroupNonUniformShuffleXor:
            return "subgroupShuffleXor()";
        case spv::OpGroupNonUniformShuffleUp:
            return "subgroupShuffleUp()";
        case spv::OpGroupNonUniformShuffleDown:
            return "subgroupShuffleDown()";
        case spv::OpGroupNonUniformQuadBroadcast:
            return "subgroupQuadBroadcast()";
        case spv::OpGroupNonUniformQuadSwap:
            return "subgroupQuadSwap";
        case spv::OpGroupNonUniformRotateKHR:
            return "subgroupRotate()";
        default:
            return "subgroupShuffle()";
    }
}

}  // namespace

// The value may have come from another invocation of the subgroup.
UnsetOrigin Walk::originOfUnset(const Actor& actor) const
{
    UnsetOrigin from = actor.self().unset;
    const std::uint32_t first = actor.invocation / subgroupSize_ * subgroupSize_;
    for (std::uint32_t i = first; from.at == none && i < std::min(first + subgroupSize_, code_.invocations); ++i)
        from = actor.group.invocations[i].unset;
    return from;
}

void Walk::foundUnset(const Actor& actor, const char* use)
{
    const UnsetOrigin from = originOfUnset(actor);
    KernelFinding* finding = findings_.add("unset-memory", actor.at, from.at);
    if (!finding) return;
    finding->actor = finding->otherActor = describe(actor.group, actor.invocation);
    if (from.absent) {
        const Instruction& one = code_.instructions[from.at];
        const std::string what =
            one.flags == spv::GroupOperationClusteredReduce
                ? fmt::format("what a cluster of {} gives in a subgroup of {}", one.c, subgroupSize_)
                : fmt::format("what {} reads from an invocation that takes no part in it", nameOfShuffle(one.op));
        finding->what = fmt::format("{}, which is undefined, {} in {}", what, use, called(finding->actor, nullptr));
        finding->cure = "read only from invocations of the subgroup that take part";
        return;
    }
    finding->cure = "give it a value first";
    std::string element = "a value";
    const char* lack = ", which was never set,";
    if (from.variable < code_.variables.size()) {
        const Variable& variable = code_.variables[from.variable];
        finding->variable = variable.name;
        const bool cells = variable.space == Space::own || variable.space == Space::shared;
        finding->element = elementName(code_, variable, from.offset - (cells ? variable.first : 0));
        element = "'" + finding->element + "'";
        if (variable.space == Space::shared) {
            const Group& group = actor.group;
            const bool stored = (group.sharedMarks[from.offset] & mark::unset) != 0 && settings_.checks &&
                                group.sharedShadow[from.offset].write.thread != 0;
            if (stored)
                lack = ", computed from memory that was never set,";
            else
                finding->cure += ": fill the tail of the shared array with 0";
        }
        if (variable.space == Space::buffer)
            finding->cure +=
                ": cb.fillBuffer() and a barrier before this dispatch, or fillDeviceWithStagingBuffer() "
                "where the solution is made, of a buffer with Lifetime::solution";
    }
    finding->what = fmt::format("{}{} {} in {}", element, lack, use, called(finding->actor, nullptr));
}

// what: a literal. The line is looked up only once: a loop may come here millions of times.
void Walk::noteOnce(std::uint32_t at, const char* what)
{
    if (!noted_.insert({at, what}).second) return;
    const Emulated::Note note{findings_.lineOf(at), what};
    auto& all = result_.notes;
    if (all.size() < 100 && std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
}

// at: the instruction; 0: none.
void Walk::noteUnknown(std::uint32_t at, const std::string& what)
{
    if (!result_.unknown) result_.unknown = {at == 0 ? KernelLine() : findings_.lineOf(at), what};
}

void Walk::foundUndefined(const Actor& actor, Undefined what)
{
    result_.free = result_.free || what != Undefined::index;
    switch (what) {
        case Undefined::division:
            return noteOnce(actor.at, "a division by 0 has no result in GLSL");
        case Undefined::remainder:
            return noteOnce(actor.at, "% of a negative number has no result in GLSL");
        case Undefined::shift:
            return noteOnce(actor.at, "a shift by as many bits as there are, or more, has no result in GLSL");
        case Undefined::conversion:
            return noteOnce(actor.at, "a float that no whole number of the type holds has no result in GLSL");
        case Undefined::bits:
            return noteOnce(actor.at, "a bit field that goes beyond its number has no result in GLSL");
        case Undefined::inexact:
            if (settings_.freedom != Freedom::usual)
                noteOnce(actor.at, "Vulkan lets this err by some units in the last place: round it");
            return;
        case Undefined::relaxed:
            if (settings_.freedom != Freedom::usual)
                noteOnce(actor.at, "mediump and lowp may have 16 bits only: leave them out");
            return;
        case Undefined::denormal:
            if (settings_.freedom != Freedom::usual)
                noteOnce(actor.at,
                         "Vulkan lets floats of less than 2^-126 be 0 in arithmetic: calculate with larger ones");
            return;
        case Undefined::index: {
            KernelFinding* finding = findings_.add("out-of-bounds", actor.at, none);
            if (!finding) return;
            finding->actor = describe(actor.group, actor.invocation);
            finding->what =
                fmt::format("{} reads a component that the vector does not have", called(finding->actor, nullptr));
            finding->cure = guardIndex;
            return;
        }
        case Undefined::nothing:
            return;
    }
}

}  // namespace a2::emulator
