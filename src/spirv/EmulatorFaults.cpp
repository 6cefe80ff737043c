#include "spirv/EmulatorFaults.h"

#include "spirv/EmulatorDecode.h"
#include "spirv/EmulatorRaceCures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace a2::emulator {

namespace {

const char* const guardIndex = "guard the access with a condition on the index";

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
            return {", which comes first, and nothing makes it available that far",
                    fmt::format("declare its buffer {}, or let the writer release with gl_SemanticsMakeAvailable and "
                                "gl_Scope{}",
                                coherent[at], scopes[at])};
        case Lack::visibility:
            return {", which comes first, and is available, but nothing makes it visible there",
                    fmt::format("declare its buffer {}, or let the reader acquire with gl_SemanticsMakeVisible and "
                                "gl_Scope{}",
                                coherent[at], scopes[at])};
        default:
            return {};
    }
}

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

// The first line of the kernel's own file that uses gl_WorkGroupSize before anything can have declared local_size_x_id;
// 0: none does. The compiler takes it for 1 there. A macro is no use: it is put in where it is named.
std::uint32_t lineOfEarlySize(const Code& code)
{
    for (const auto& [id, source] : code.sources) {
        if (source.text.find("void main(") == std::string::npos) continue;
        std::istringstream lines(source.text);
        std::uint32_t number = 0;
        for (std::string line; std::getline(lines, line);) {
            ++number;
            line.resize(std::min(line.size(), line.find("//")));
            if (line.find("local_size_x") != std::string::npos || line.find("#include") != std::string::npos) break;
            if (line.find("#define") == std::string::npos && line.find("gl_WorkGroupSize") != std::string::npos)
                return number;
        }
    }
    return 0;
}

}  // namespace

KernelActor Faults::describe(const Group& group, std::uint32_t invocation) const
{
    const auto& size = state_.code.localSize;
    return {group.number,
            invocation,
            {invocation % size[0], invocation / size[0] % size[1], invocation / size[0] / size[1]}};
}

KernelActor Faults::describeThread(const Group& group, const Use& use, Kept kept) const
{
    if (kept == Kept::shared) return describe(group, use.thread - 1);
    KernelActor actor = describe(group, (use.thread - 1) % state_.code.invocations);
    actor.group = (use.thread - 1) / state_.code.invocations;
    return actor;
}

std::string Faults::called(const KernelActor& actor, const KernelActor* before) const
{
    std::string text = fmt::format("invocation {}", actor.invocation);
    if (state_.code.localSize[1] > 1 || state_.code.localSize[2] > 1)
        text = fmt::format("invocation ({}, {}, {})", actor.local[0], actor.local[1], actor.local[2]);
    if (!before || before->group != actor.group) text += fmt::format(" of work-group {}", actor.group);
    return text;
}

std::string Faults::does(std::uint32_t at, const std::string& what) const
{
    switch (state_.code.instructions[at].op) {
        case op::load:
            return "reads " + what;
        case op::store:
            return "writes " + what;
        default:
            return "uses " + what + " atomically";
    }
}

void Faults::race(const Actor& actor, const Conflict& conflict, Kept kept, std::uint32_t variable, std::uint64_t offset,
                  const AccessWays& ways)
{
    const Use& other = conflict.other;
    KernelFinding* finding =
        state_.findings.add(kept == Kept::shared ? "shared-race" : "global-race", actor.at, other.at);
    if (!finding) return;
    const Variable& what = state_.code.variables[variable];
    finding->actor = describe(actor.group, actor.invocation);
    finding->otherActor = describeThread(actor.group, other, kept);
    finding->variable = what.name;
    finding->element = elementName(state_.code, what, offset);
    const bool sameGroup = finding->actor.group == finding->otherActor.group;
    const bool bothWrite = ways.writes && state_.code.instructions[other.at].op == op::store;
    const bool weak = kept == Kept::shared && state_.code.weakBarriers;
    const char* between = !sameGroup ? ", and nothing orders work-groups but atomics with memory barriers"
                          : weak ? ", with no barrier() between that orders shared memory, as a controlBarrier() of "
                                   "this kernel does not"
                          : kept == Kept::shared      ? ", with no barrier() between"
                          : state_.code.groupBarriers ? ", with no memoryBarrierBuffer() and barrier() between"
                                                      : ", with no barrier() between";
    Explained lack = lackOf(conflict);
    const Reach least = sameGroup ? Reach::group : Reach::device;
    const bool bothAtomic =
        isAtomic(state_.code.instructions[actor.at].op) && isAtomic(state_.code.instructions[other.at].op);
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
    const SecondName second = kept == Kept::buffers ? secondName(variable, offset) : SecondName();
    if (finding->cure.empty()) finding->cure = RaceCures(state_).of(*finding, actor, other, kept, ways, second.twice);
    finding->what = fmt::format(
        "{} {}{}, and {} {}{}{}", called(finding->actor, nullptr), does(actor.at, "'" + finding->element + "'"),
        second.name.empty() ? ""
        : second.twice      ? fmt::format(" (one buffer is bound twice: it is '{}', too)", second.name)
                            : fmt::format(" (which is '{}', too)", second.name),
        called(finding->otherActor, &finding->actor), does(other.at, "it"), lack.what.empty() ? between : lack.what,
        bothWrite && ways.same ? " (the same value, which is a race all the same)" : "");
}

// Another variable that names a byte of a buffer, at another binding if there is one.
Faults::SecondName Faults::secondName(std::uint32_t variable, std::uint64_t offset) const
{
    const auto& variables = state_.code.variables;
    const auto own = std::ranges::find(state_.resources, variable, &Resource::variable);
    SecondName found;
    if (own == state_.resources.end() || !own->state) return found;
    const std::uint64_t byte = own->offset + offset;
    for (const Resource& one : state_.resources) {
        if (one.variable == variable || one.state != own->state || byte < one.offset || byte - one.offset >= one.bytes)
            continue;
        const Variable &name = variables[one.variable], &first = variables[variable];
        const bool twice = name.set != first.set || name.binding != first.binding;
        if (!found.name.empty() && !twice) continue;
        found = {elementName(state_.code, name, byte - one.offset), twice};
        if (twice) break;
    }
    return found;
}

void Faults::awaited(const Group& group, std::uint32_t invocation, const WordName& name)
{
    if (!state_.settings.checks) return;
    state_.result.endangers = true;
    const Invocation& self = group.invocations[invocation];
    KernelFinding* finding = state_.findings.add("forward-progress", state_.code.loops[self.watchedLoop].begin, none);
    if (!finding) return;
    finding->actor = finding->otherActor = describe(group, invocation);
    if (name.buffer == WordName::sharedMemory) {
        if (const std::uint32_t at = state_.variableAt(Space::shared, name.word); at != none) {
            finding->variable = state_.code.variables[at].name;
            finding->element =
                elementName(state_.code, state_.code.variables[at], name.word - state_.code.variables[at].first);
        }
    } else {
        for (const Resource& one : state_.resources) {
            if (one.state != &state_.buffers[name.buffer] || name.word * 4 < one.offset) continue;
            finding->variable = state_.code.variables[one.variable].name;
            finding->element =
                elementName(state_.code, state_.code.variables[one.variable], name.word * 4 - one.offset);
            break;
        }
    }
    finding->what = called(finding->actor, nullptr) + " waits in a loop for '" + finding->element +
                    "', which another invocation of its work-group writes: one that need not go on before it does";
}

void Faults::late(const Actor& actor, const Shadow& shadow, std::uint64_t byte, const Resource& resource)
{
    for (const Use& use : {shadow.write, shadow.atomics[0], shadow.atomics[1]}) {
        if (use.thread == 0 || use.readsOnly) continue;
        const auto late = state_.lateGroups.find((use.thread - 1) / state_.code.invocations);
        if (late == state_.lateGroups.end() || late->second < actor.self().waitingSince) continue;
        actor.self().waitingSince = 0;
        KernelFinding* finding = state_.findings.add("forward-progress", actor.at, use.at);
        if (!finding) return;
        finding->actor = describe(actor.group, actor.invocation);
        finding->otherActor = describeThread(actor.group, use, Kept::buffers);
        const Variable& variable = state_.code.variables[resource.variable];
        finding->variable = variable.name;
        finding->element = elementName(state_.code, variable, byte - std::min(byte, resource.offset));
        finding->what = called(finding->actor, nullptr) + " waits for '" + finding->element + "', which " +
                        called(finding->otherActor, &finding->actor) +
                        " writes: a work-group that need not start before this one ends";
        return;
    }
}

std::string Faults::guarding(const Actor& actor) const
{
    return RaceCures(state_).isIndexedByData(actor)
               ? std::string("the index is calculated from what memory holds: look at where that is written, or ") +
                     guardIndex
               : guardIndex;
}

void Faults::outside(const Actor& actor, const Cell* pointer, bool writes)
{
    const std::uint64_t bad = pointer[2];
    state_.result.endangers = true;
    KernelFinding* finding = state_.findings.add("out-of-bounds", actor.at, none);
    if (!finding) return;
    finding->actor = describe(actor.group, actor.invocation);
    const std::string who = called(finding->actor, nullptr);
    const char* does = writes ? "writes" : "reads";
    finding->cure = guarding(actor);
    if (bad == 0 || bad > state_.code.steps.size()) {
        finding->what = fmt::format("{} {} through an invalid pointer", who, does);
        return;
    }
    const Step& step = state_.code.steps[bad - 1];
    const auto index = static_cast<std::int64_t>(pointer[1]);
    finding->variable = state_.code.names[step.name];
    finding->element = fmt::format("{}[{}]", finding->variable, index);
    finding->what = step.length > 0 ? fmt::format("{} {} element {} of '{}', which has {} element{}", who, does, index,
                                                  finding->variable, step.length, step.length == 1 ? "" : "s")
                                    : fmt::format("{} {} element {} of '{}'", who, does, index, finding->variable);
    if (step.length > 0 && index >= 0) finding->cure += fmt::format(", or make '{}' longer", finding->variable);
    if (const std::uint32_t early = lineOfEarlySize(state_.code); early > 0 && step.length > 0)
        finding->cure = fmt::format(
            "line {} of the kernel uses gl_WorkGroupSize above the declaration of local_size_x_id (an #include has "
            "it), where it is taken for 1: move that line below it",
            early);
}

void Faults::behindEnd(const Actor& actor, const Resource& resource, std::uint64_t offset, bool writes,
                       const char* problem)
{
    constexpr std::uint64_t near = 256;  // bytes
    // An offset before the first byte has wrapped round to a very large one.
    state_.result.endangers = state_.result.endangers || offset + near >= resource.bytes + 2 * near;
    KernelFinding* finding = state_.findings.add("out-of-bounds", actor.at, none);
    if (!finding) return;
    finding->actor = describe(actor.group, actor.invocation);
    const Variable& variable = state_.code.variables[resource.variable];
    finding->variable = variable.name;
    // If a vector begins inside, name its first component that is outside.
    if (!problem && offset < resource.bytes)
        offset += (resource.bytes - offset) / sizeof(std::uint32_t) * sizeof(std::uint32_t);
    finding->element = elementName(state_.code, variable, offset);
    const std::string who = called(finding->actor, nullptr);
    const char* does = writes ? "writes" : "reads";
    finding->what = problem ? fmt::format("{} {} '{}', {}", who, does, finding->element, problem)
                            : fmt::format("{} {} '{}', at byte {}, and {} byte{} bound", who, does, finding->element,
                                          offset, resource.bytes, resource.bytes == 1 ? " is" : "s are");
    if (problem)
        finding->cure = resource.state ? "declare the block as a buffer that the kernel may write"
                                       : "bind a descriptor set that has it, before the dispatch";
    else
        finding->cure = paddingText(state_.code, variable);
    if (finding->cure.empty()) finding->cure = guarding(actor);
}

void Faults::unset(const Actor& actor, const char* use, bool decides)
{
    const UnsetOrigin from = unset_.of(actor);
    KernelFinding* finding = state_.findings.add("unset-memory", actor.at, from.at);
    if (!finding) return;
    finding->decides = decides;
    finding->actor = finding->otherActor = describe(actor.group, actor.invocation);
    if (from.absent) {
        const Instruction& one = state_.code.instructions[from.at];
        const std::string what =
            one.flags == spv::GroupOperationClusteredReduce
                ? fmt::format("what a cluster of {} gives in a subgroup of {}", one.c, state_.subgroupSize)
                : fmt::format("what {} reads from an invocation that takes no part in it", nameOfShuffle(one.op));
        finding->what = fmt::format("{}, which is undefined, {} in {}", what, use, called(finding->actor, nullptr));
        finding->cure = "read only from invocations of the subgroup that take part";
        return;
    }
    finding->cure = "give it a value first";
    std::string element = "a value";
    const char* lack = ", which was never set,";
    if (from.variable < state_.code.variables.size()) {
        const Variable& variable = state_.code.variables[from.variable];
        finding->variable = variable.name;
        const bool cells = variable.space == Space::own || variable.space == Space::shared;
        finding->element = elementName(state_.code, variable, from.offset - (cells ? variable.first : 0));
        element = "'" + finding->element + "'";
        if (variable.space == Space::shared) {
            const Group& group = actor.group;
            const bool stored = (group.sharedMarks[from.offset] & mark::unset) != 0 && state_.settings.checks &&
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
void Faults::once(std::uint32_t at, const char* what)
{
    if (!noted_.insert({at, what}).second) return;
    const Emulated::Note note{state_.findings.lineOf(at), what};
    auto& all = state_.result.notes;
    if (all.size() < 100 && std::find(all.begin(), all.end(), note) == all.end()) all.push_back(note);
}

void Faults::unknown(std::uint32_t at, const std::string& what)
{
    if (!state_.result.unknown) state_.result.unknown = {at == 0 ? KernelLine() : state_.findings.lineOf(at), what};
}

void Faults::undefined(const Actor& actor, Undefined what)
{
    state_.result.free = state_.result.free || what != Undefined::index;
    switch (what) {
        case Undefined::division:
            return once(actor.at, "a division by 0 has no result in GLSL");
        case Undefined::remainder:
            return once(actor.at, "% of a negative number has no result in GLSL");
        case Undefined::shift:
            return once(actor.at, "a shift by as many bits as there are, or more, has no result in GLSL");
        case Undefined::conversion:
            return once(actor.at, "a float that no whole number of the type holds has no result in GLSL");
        case Undefined::bits:
            return once(actor.at, "a bit field that goes beyond its number has no result in GLSL");
        case Undefined::inexact:
            if (state_.settings.freedom != Freedom::usual)
                once(actor.at,
                     "Vulkan lets this err by some units in the last place: round it or, where it may be above 2^20, "
                     "calculate with whole numbers");
            return;
        case Undefined::relaxed:
            if (state_.settings.freedom != Freedom::usual)
                once(actor.at, "mediump and lowp may have 16 bits only: leave them out");
            return;
        case Undefined::denormal:
            if (state_.settings.freedom != Freedom::usual)
                once(actor.at, "Vulkan lets floats of less than 2^-126 be 0 in arithmetic: calculate with larger ones");
            return;
        case Undefined::index: {
            KernelFinding* finding = state_.findings.add("out-of-bounds", actor.at, none);
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

void Faults::endless(const Group& group, std::uint32_t invocation, std::uint32_t loop, const std::string& what,
                     const std::string& cure)
{
    state_.result.endangers = true;
    KernelFinding* finding = state_.findings.add("endless-loop", state_.code.loops[loop].begin, none);
    if (!finding) return;
    finding->actor = describe(group, invocation);
    finding->what = called(finding->actor, nullptr) + what;
    finding->cure = cure;
}

void Faults::divergence(const Group& group, std::uint32_t waiting, std::uint32_t other)
{
    const Invocation &one = group.invocations[waiting], &two = group.invocations[other];
    state_.result.endangers = true;
    // The end of a function has a place only if the text has a `return` there.
    const bool hasPlace =
        two.status != Status::ended || state_.findings.lineOf(two.at).source.text.find("return") != std::string::npos;
    KernelFinding* finding = state_.findings.add("barrier-divergence", one.at, hasPlace ? two.at : none);
    if (!finding) return;
    finding->actor = describe(group, waiting);
    finding->otherActor = describe(group, other);
    finding->what = fmt::format("{} comes to a barrier(), and {} {}", called(finding->actor, nullptr),
                                called(finding->otherActor, &finding->actor),
                                two.status == Status::ended ? "has ended without it"
                                : two.at == one.at ? "to the same one in another turn of a loop, or by another call"
                                                   : "to another one");
}

}  // namespace a2::emulator
