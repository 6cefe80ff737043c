#include "observe/Hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

using Stages = vk::PipelineStageFlags2;
using Stage = vk::PipelineStageFlagBits2;
using Accesses = vk::AccessFlags2;
using Access = vk::AccessFlagBits2;

// What one command does to a run of bytes.
struct Use {
    vk::Buffer buffer;
    std::string name;
    vk::DeviceSize first = 0, end = 0;  // bytes
    bool reads = false, writes = false;
    bool transfer = false;
};

vk::DeviceSize endOf(vk::DeviceSize offset, vk::DeviceSize size)
{
    return size == VK_WHOLE_SIZE ? VK_WHOLE_SIZE : offset + size;
}

std::vector<Use> usesOf(const Command& command)
{
    std::vector<Use> uses;
    if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) {
        if (dispatch->groupCount() == 0) return uses;
        for (const BoundBuffer& one : dispatch->buffers)
            uses.push_back(
                {one.buffer, one.name, one.offset, endOf(one.offset, one.range), one.reads, one.writes, false});
    } else if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
        const vk::BufferCopy& region = transfer->region;
        uses.push_back({transfer->to, transfer->toName, region.dstOffset, endOf(region.dstOffset, region.size), false,
                        true, true});
        if (transfer->from)
            uses.push_back({transfer->from, transfer->fromName, region.srcOffset, endOf(region.srcOffset, region.size),
                            true, false, true});
    }
    return uses;
}

bool overlap(const Use& a, const Use& b) { return a.buffer == b.buffer && a.first < b.end && b.first < a.end; }

Stages stageOf(const Use& use) { return use.transfer ? Stage::eAllTransfer : Stage::eComputeShader; }

// The stages a mask stands for, as far as they matter here.
Stages expanded(Stages mask, Stage everything)
{
    Stages all = mask;
    if (mask & (Stages(Stage::eAllCommands) | everything)) all |= Stage::eComputeShader | Stage::eAllTransfer;
    if (mask & (Stages(Stage::eCopy) | Stage::eClear)) all |= Stage::eAllTransfer;
    return all;
}

Accesses writeAccess(const Use& use)
{
    return use.transfer ? Access::eTransferWrite | Access::eMemoryWrite
                        : Access::eShaderWrite | Access::eShaderStorageWrite | Access::eMemoryWrite;
}

Accesses readAccess(const Use& use)
{
    return use.transfer ? Access::eTransferRead | Access::eMemoryRead
                        : Access::eShaderRead | Access::eShaderStorageRead | Access::eMemoryRead;
}

struct Link {
    bool barrier = false;    // there is one between them at all
    bool execution = false;  // it makes the second command wait for the first
    bool available = false;  // the first one's writes
    bool visible = false;    // to the second
    bool elsewhere = false;  // some barrier names another buffer
};

bool concerns(const Dependency& one, const Use& use)
{
    return !one.buffer ||
           (one.buffer == use.buffer && one.offset <= use.first && endOf(one.offset, one.size) >= use.end);
}

// The chain of barriers between commands[j], which has the earlier use, and commands[i].
Link linkBetween(const Use& earlier, const Use& later, std::span<const Command> commands, std::size_t j, std::size_t i)
{
    Link link;
    Stages reached;  // stages that wait for `earlier`
    const Accesses wanted = later.reads ? readAccess(later) : readAccess(later) | writeAccess(later);
    for (const Command& command : commands.subspan(j + 1, i - j - 1)) {
        const auto* barrier = std::get_if<BarrierCommand>(&command);
        if (!barrier || barrier->covered <= j) continue;
        link.barrier = true;
        const Stages before = reached;
        const bool availableBefore = link.available;
        for (const Dependency& one : barrier->dependencies) {
            const Stages sources = expanded(one.srcStages, Stage::eBottomOfPipe);
            if (!(sources & (stageOf(earlier) | before))) continue;
            reached |= expanded(one.dstStages, Stage::eTopOfPipe);
            if (!concerns(one, earlier)) {
                link.elsewhere = true;
                continue;
            }
            const bool available = (one.srcAccess & writeAccess(earlier)) || availableBefore;
            link.available = link.available || available;
            link.visible = link.visible || (available && (one.dstAccess & wanted));
        }
    }
    link.execution = static_cast<bool>(reached & stageOf(later));
    return link;
}

std::string commandName(const Command& command)
{
    if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
        return fmt::format("dispatch {} '{}'", dispatch->index, dispatch->label);
    return std::get<TransferCommand>(command).call;
}

std::string remedy(const Use& earlier, const Use& later)
{
    const auto stage = [](const Use& use) { return use.transfer ? "eTransfer" : "eComputeShader"; };
    const auto write = [](const Use& use) { return use.transfer ? "eTransferWrite" : "eShaderWrite"; };
    const auto read = [](const Use& use) { return use.transfer ? "eTransferRead" : "eShaderRead"; };
    return fmt::format(
        "cb.pipelineBarrier(vk::PipelineStageFlagBits::{}, vk::PipelineStageFlagBits::{}, {{}}, "
        "vk::MemoryBarrier(vk::AccessFlagBits::{}, vk::AccessFlagBits::{}), {{}}, {{}});",
        stage(earlier), stage(later), write(earlier), later.reads ? read(later) : write(later));
}

struct Hazard {
    const char* rule = nullptr;
    std::string what;  // "reads 'input', which dispatch 0 'x' writes"
    std::string why;   // of a weak barrier
};

std::optional<Hazard> hazardBetween(const Use& earlier, const Use& later, std::span<const Command> commands,
                                    std::size_t j, std::size_t i)
{
    if (!overlap(earlier, later) || !(earlier.writes || later.writes)) return {};
    const Link link = linkBetween(earlier, later, commands, j, i);
    const bool memory = !earlier.writes || (link.available && link.visible);
    if (link.execution && memory) return {};

    Hazard hazard;
    hazard.rule = link.barrier ? "weak-barrier" : "missing-barrier";
    const char* does = later.reads && later.writes ? "reads and writes" : later.reads ? "reads" : "writes";
    hazard.what = fmt::format("{} buffer '{}', which {} {}", does, later.name, commandName(commands[j]),
                              earlier.writes ? "writes" : "reads");
    if (!link.execution)
        hazard.why = "its stage masks do not make the second wait for the first";
    else if (!link.available)
        hazard.why = link.elsewhere ? "it is about another buffer" : "its source access mask lacks the write";
    else
        hazard.why =
            later.reads ? "its destination access mask lacks the read" : "its destination access mask is empty";
    return hazard;
}

// The finding about commands[i], if it has a hazard with commands[j] before it.
std::optional<Finding> findingBetween(std::span<const Command> commands, std::size_t j, std::size_t i,
                                      const std::vector<std::vector<Use>>& uses)
{
    std::string what;
    Hazard first;
    std::string fix;
    for (const Use& later : uses[i])
        for (const Use& earlier : uses[j]) {
            const auto hazard = hazardBetween(earlier, later, commands, j, i);
            if (!hazard) continue;
            what += (what.empty() ? "" : ", and ") + hazard->what;
            // A write that is read is what the barrier must be made for; a mere overwriting is covered by that too.
            if (!first.rule || (earlier.writes && later.reads)) {
                first = *hazard;
                fix = remedy(earlier, later);
            }
        }
    if (!first.rule) return {};
    Finding finding;
    finding.rule = first.rule;
    const bool missing = finding.rule == "missing-barrier";
    finding.message = fmt::format("{} {}, {}; {}: {}", commandName(commands[i]), what,
                                  missing ? "with no pipeline barrier between them"
                                          : "but the pipeline barrier between them is too weak: " + first.why,
                                  missing ? "insert before it" : "what is needed", fix);
    if (const auto* dispatch = std::get_if<DispatchCommand>(&commands[i])) finding.dispatch = dispatch->index;
    return finding;
}

// Whether a barrier leaves nothing open between any dispatch before it and any after it: most do, and so nobody needs
// to look back beyond it.
bool separatesDispatches(const Command& command)
{
    const auto* barrier = std::get_if<BarrierCommand>(&command);
    if (!barrier || barrier->covered != SIZE_MAX) return false;
    Use dispatch;
    return std::any_of(barrier->dependencies.begin(), barrier->dependencies.end(), [&](const Dependency& one) {
        return !one.buffer && (expanded(one.srcStages, Stage::eBottomOfPipe) & stageOf(dispatch)) &&
               (expanded(one.dstStages, Stage::eTopOfPipe) & stageOf(dispatch)) &&
               (one.srcAccess & writeAccess(dispatch)) && (one.dstAccess & readAccess(dispatch));
    });
}

// "{ ShaderRead | ShaderWrite }" -> "ShaderRead+ShaderWrite"
std::string flagText(std::string text)
{
    std::erase_if(text, [](char c) { return c == '{' || c == '}' || c == ' '; });
    std::replace(text.begin(), text.end(), '|', '+');
    return text.empty() ? "none" : text;
}

}  // namespace

std::vector<Finding> hazards(const std::vector<Command>& commands)
{
    std::vector<std::vector<Use>> uses;
    for (const Command& command : commands) uses.push_back(usesOf(command));
    std::vector<Finding> findings;
    std::vector<std::size_t> transfers;  // so far
    std::size_t separated = 0;  // what is before this, and no transfer, has ended for every dispatch from here on
    const auto look = [&](std::size_t j, std::size_t i) {
        auto finding = findingBetween(commands, j, i, uses);
        if (finding) findings.push_back(std::move(*finding));
        return finding.has_value();
    };
    const auto lookBack = [&](std::size_t i) {
        if (uses[i].empty()) return;
        const std::size_t end = std::holds_alternative<DispatchCommand>(commands[i]) ? separated : 0;
        for (std::size_t j = i; j-- > end;)
            if (look(j, i)) return;
        for (std::size_t k = transfers.size(); k-- > 0;)
            if (transfers[k] < end && look(transfers[k], i)) return;
    };
    for (std::size_t i = 0; i < commands.size(); ++i) {
        lookBack(i);
        if (separatesDispatches(commands[i])) separated = i + 1;
        if (std::holds_alternative<TransferCommand>(commands[i])) transfers.push_back(i);
    }
    return findings;
}

std::string dependencyText(const Dependency& one)
{
    const auto side = [](Stages stages, Accesses accesses) {
        return fmt::format("{}/{}", flagText(vk::to_string(stages)), flagText(vk::to_string(accesses)));
    };
    return side(one.srcStages, one.srcAccess) + " -> " + side(one.dstStages, one.dstAccess);
}

}  // namespace a2
