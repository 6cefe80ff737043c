#include "lint/Hazards.h"

#include "recording/MaskText.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <utility>

namespace a2 {

namespace {

using Stages = vk::PipelineStageFlags2;
using Stage = vk::PipelineStageFlagBits2;
using Accesses = vk::AccessFlags2;
using Access = vk::AccessFlagBits2;

// How a command uses a buffer. Each kind has its own stage and accesses.
enum class UseKind { storage, uniform, indirect, copy, clear };  // vkCmdFillBuffer and vkCmdUpdateBuffer clear

// One command's use of a range of bytes.
struct Use {
    Index buffer = 0;
    std::string name;
    vk::DeviceSize first = 0, end = 0;  // bytes
    bool reads = false, writes = false;
    UseKind kind = UseKind::storage;
    const UsedWords* words = nullptr;  // for a dispatch whose words are known: it uses no others

    bool isTransfer() const { return kind == UseKind::copy || kind == UseKind::clear; }
    bool exact() const { return words || isTransfer() || kind == UseKind::indirect; }
};

vk::DeviceSize endOf(vk::DeviceSize offset, vk::DeviceSize size)
{
    return size == VK_WHOLE_SIZE ? VK_WHOLE_SIZE : offset + size;
}

constexpr vk::DeviceSize wordBytes = sizeof(std::uint32_t), blockBytes = 64 * wordBytes;

// The end, in bytes, of the last word in use.
vk::DeviceSize endOf(const WordBits& bits)
{
    for (std::size_t block = bits.size(); block-- > 0;)
        if (bits[block] != 0)
            return block * blockBytes + (64 - static_cast<vk::DeviceSize>(std::countl_zero(bits[block]))) * wordBytes;
    return 0;
}

// A buffer whose words are known gets one use, however often it is bound for storage, and none if no word is used.
void addUse(const DispatchCommand& dispatch, const BoundBuffer& one, const WordsOfDispatches& words,
            std::vector<Use>& uses)
{
    Use use = {one.buffer,
               one.name,
               one.offset,
               endOf(one.offset, one.range),
               one.reads,
               one.writes,
               one.uniform ? UseKind::uniform : UseKind::storage};
    const auto known = words.find({dispatch.index, one.buffer});
    if (known != words.end()) {
        use.words = &known->second;
        if (!one.uniform) {
            if (std::any_of(uses.begin(), uses.end(), [&](const Use& other) {
                    return other.buffer == one.buffer && other.kind == UseKind::storage;
                }))
                return;
            use.first = 0;
            use.end = std::max(endOf(known->second.read), endOf(known->second.written));
            use.reads = use.writes = true;
            if (use.end == 0) return;
        }
    }
    uses.push_back(std::move(use));
}

std::vector<Use> usesOf(const Command& command, const WordsOfDispatches& words)
{
    std::vector<Use> uses;
    if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) {
        if (const auto& from = dispatch->indirect)
            uses.push_back({from->buffer, from->name, from->offset, from->offset + sizeof(VkDispatchIndirectCommand),
                            true, false, UseKind::indirect});
        if (dispatch->groupCount() == 0) return uses;
        for (const BoundBuffer& one : dispatch->buffers) addUse(*dispatch, one, words, uses);
    } else if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
        const vk::BufferCopy& region = transfer->region;
        uses.push_back({transfer->to, transfer->toName, region.dstOffset, endOf(region.dstOffset, region.size), false,
                        true, transfer->from ? UseKind::copy : UseKind::clear});
        if (transfer->from)
            uses.push_back({*transfer->from, transfer->fromName, region.srcOffset, endOf(region.srcOffset, region.size),
                            true, false, UseKind::copy});
    }
    return uses;
}

// Which words of a block of 64 lie in the use's bytes. The block begins at byte `begin` of the array.
std::uint64_t blockMask(const Use& use, vk::DeviceSize begin)
{
    const vk::DeviceSize first = std::clamp(use.first, begin, begin + blockBytes) - begin,
                         end = std::clamp(use.end, begin, begin + blockBytes) - begin;
    if (first >= end) return 0;
    const vk::DeviceSize from = first / wordBytes, count = ceilDiv(end, wordBytes) - from;
    return (count == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << count) - 1) << from;
}

// Which of these words are read (or written).
std::uint64_t blockOf(const Use& use, bool written, std::size_t block, vk::DeviceSize begin)
{
    if (!(written ? use.writes : use.reads)) return 0;
    const std::uint64_t mask = blockMask(use, begin);
    if (!use.words) return mask;
    const auto& bits = written ? use.words->written : use.words->read;
    return block < bits.size() ? bits[block] & mask : 0;
}

// Why two uses must be ordered: the bytes that both use and one of them writes.
struct Meeting {
    vk::DeviceSize first = 0, end = 0;
    bool writtenFirst = false, readThen = false, writtenThen = false;  // whether any of these bytes is
};

std::optional<Meeting> meetingOf(const Use& earlier, const Use& later)
{
    if (earlier.buffer != later.buffer) return {};
    Meeting met{std::max(earlier.first, later.first), std::min(earlier.end, later.end), earlier.writes, later.reads,
                later.writes};
    if (met.first >= met.end || !(earlier.writes || later.writes)) return {};
    const UsedWords* words = earlier.words ? earlier.words : later.words;
    if (!words) return met;
    const Meeting all = std::exchange(met, {});
    const std::size_t blocks = std::max(words->read.size(), words->written.size());
    for (std::size_t block = 0; block < blocks; ++block) {
        const vk::DeviceSize begin = block * blockBytes;
        if (begin >= all.end || begin + blockBytes <= all.first) continue;
        const auto of = [&](const Use& use, bool written) { return blockOf(use, written, block, begin); };
        const std::uint64_t wrote = of(earlier, true), reads = of(later, false), writes = of(later, true);
        const std::uint64_t both = (wrote & (reads | writes)) | (of(earlier, false) & writes);
        if (both == 0) continue;
        const auto low = static_cast<vk::DeviceSize>(std::countr_zero(both)),
                   high = static_cast<vk::DeviceSize>(64 - std::countl_zero(both));
        if (met.end == 0) met.first = begin + low * wordBytes;
        met.end = begin + high * wordBytes;
        met.writtenFirst = met.writtenFirst || (both & wrote) != 0;
        met.readThen = met.readThen || (both & reads) != 0;
        met.writtenThen = met.writtenThen || (both & writes) != 0;
    }
    return met.end > 0 ? std::optional(met) : std::nullopt;
}

Stages stageOf(const Use& use)
{
    switch (use.kind) {
        case UseKind::indirect:
            return Stage::eDrawIndirect;
        case UseKind::copy:
            return Stage::eCopy;
        case UseKind::clear:
            return Stage::eClear;
        default:
            return Stage::eComputeShader;
    }
}

constexpr Stages transferStages = Stages(Stage::eCopy) | Stage::eClear;
constexpr Stages allStages = transferStages | Stage::eDrawIndirect | Stage::eComputeShader;

// The stages that a mask names, as far as they matter here. An access mask concerns their accesses. The top and the
// bottom of the pipe have no accesses (Vulkan specification, "Pipeline Stages").
Stages named(Stages mask)
{
    Stages stages = mask & allStages;
    if (mask & Stage::eAllCommands) stages |= allStages;
    if (mask & Stage::eAllGraphics) stages |= Stage::eDrawIndirect;
    if (mask & Stage::eAllTransfer) stages |= transferStages;
    return stages;
}

// The stages that a source mask waits for: the named ones, and those logically earlier. The bottom of the pipe is after
// all of them; nothing is before the top ("Synchronization Scopes").
Stages waitedFor(Stages mask)
{
    Stages stages = named(mask);
    if (mask & Stage::eBottomOfPipe) stages |= allStages;
    if (stages & Stage::eComputeShader) stages |= Stage::eDrawIndirect;
    return stages;
}

// The stages that a destination mask makes wait: the named ones, and those logically later.
Stages heldBack(Stages mask)
{
    Stages stages = named(mask);
    if (mask & Stage::eTopOfPipe) stages |= allStages;
    if (stages & Stage::eDrawIndirect) stages |= Stage::eComputeShader;
    return stages;
}

Accesses writeAccess(const Use& use)
{
    return use.isTransfer() ? Access::eTransferWrite | Access::eMemoryWrite
                            : Access::eShaderWrite | Access::eShaderStorageWrite | Access::eMemoryWrite;
}

Accesses readAccess(const Use& use)
{
    switch (use.kind) {
        case UseKind::uniform:
            return Access::eUniformRead | Access::eMemoryRead;
        case UseKind::indirect:
            return Access::eIndirectCommandRead | Access::eMemoryRead;
        case UseKind::copy:
        case UseKind::clear:
            return Access::eTransferRead | Access::eMemoryRead;
        default:
            return Access::eShaderRead | Access::eShaderStorageRead | Access::eMemoryRead;
    }
}

struct Link {
    bool barrier = false;    // there is a barrier between them
    bool execution = false;  // it makes the second command wait for the first
    bool available = false;  // the first command's writes are made available
    bool visible = false;    // they are made visible to the second command
    bool elsewhere = false;  // some barrier names another buffer
    bool beside = false;     // or some barrier names another part of this buffer
    bool setBefore = false;  // a wait between them is for an event that was set before the first command
    bool noSource = false, noTarget = false;  // the access mask is right, but the stage mask has no such access
};

bool covers(const Dependency& one, vk::DeviceSize first, vk::DeviceSize end)
{
    return one.offset <= first && endOf(one.offset, one.size) >= end;
}

// The dependency must cover what was written. If it is not known which words that is, covering any part counts.
bool concerns(const Dependency& one, const Use& use, bool exact)
{
    if (!one.buffer) return true;
    if (one.buffer != use.buffer) return false;
    return exact ? covers(one, use.first, use.end) : one.offset < use.end && endOf(one.offset, one.size) > use.first;
}

// How the barriers between them order commands[j], which has the earlier use, and commands[i].
Link linkBetween(const Use& earlier, const Use& later, bool exact, std::span<const Command> commands, std::size_t j,
                 std::size_t i)
{
    Link link;
    Stages reached;   // stages that now wait for `earlier`
    Stages informed;  // stages that wait until its writes are available
    const Accesses wanted = later.reads ? readAccess(later) : readAccess(later) | writeAccess(later);
    for (const Command& command : commands.subspan(j + 1, i - j - 1)) {
        const auto* barrier = std::get_if<BarrierCommand>(&command);
        if (!barrier) continue;
        if (barrier->covered <= j) {
            link.setBefore = true;
            continue;
        }
        link.barrier = true;
        const Stages before = reached, informedBefore = informed;
        for (const Dependency& one : barrier->dependencies) {
            if (!(waitedFor(one.srcStages) & (stageOf(earlier) | before))) continue;
            reached |= heldBack(one.dstStages);
            if (!concerns(one, earlier, exact)) {
                (one.buffer == earlier.buffer ? link.beside : link.elsewhere) = true;
                continue;
            }
            const bool masked = static_cast<bool>(one.srcAccess & writeAccess(earlier));
            const bool written = masked && (named(one.srcStages) & stageOf(earlier));
            const bool seen = static_cast<bool>(one.dstAccess & wanted);
            // Writes that an earlier barrier made available are available only to what waits for that barrier.
            const bool available = written || (waitedFor(one.srcStages) & informedBefore);
            if (available) informed |= heldBack(one.dstStages);
            link.noSource = link.noSource || (masked && !written);
            link.available = link.available || available;
            link.noTarget = link.noTarget || (seen && !(named(one.dstStages) & stageOf(later)));
            link.visible = link.visible || (available && seen && (named(one.dstStages) & stageOf(later)));
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

// The names of the bits for a sufficient barrier.
struct Bits {
    const char *stage, *read, *write;
};
Bits bitsOf(const Use& use)
{
    switch (use.kind) {
        case UseKind::uniform:
            return {"eComputeShader", "eUniformRead", ""};
        case UseKind::indirect:
            return {"eDrawIndirect", "eIndirectCommandRead", ""};
        case UseKind::copy:
        case UseKind::clear:
            return {"eTransfer", "eTransferRead", "eTransferWrite"};
        default:
            return {"eComputeShader", "eShaderRead", "eShaderWrite"};
    }
}

std::string remedy(const Use& earlier, const Use& later)
{
    const Bits from = bitsOf(earlier), to = bitsOf(later);
    std::string access = later.reads ? to.read : to.write;
    // A command that overwrites the result of a copy or a fill must wait for it, too.
    if (earlier.isTransfer() && later.kind == UseKind::storage && later.reads && later.writes)
        access += fmt::format(" | vk::AccessFlagBits::{}", to.write);
    return fmt::format(
        "cb.pipelineBarrier(vk::PipelineStageFlagBits::{}, vk::PipelineStageFlagBits::{}, {{}}, "
        "vk::MemoryBarrier(vk::AccessFlagBits::{}, vk::AccessFlagBits::{}), {{}}, {{}});",
        from.stage, to.stage, earlier.writes ? from.write : from.read, access);
}

const char* doing(const Use& use)
{
    if (use.kind == UseKind::indirect) return "takes its work-groups from";
    if (use.kind == UseKind::uniform) return "reads uniform";
    return use.reads && use.writes ? "reads and writes" : use.reads ? "reads" : "writes";
}

// " at element 17": the first element that two uses share, if it is known.
std::string placeIn(const Use& earlier, const Use& later)
{
    const UsedWords* words = earlier.words ? earlier.words : later.words;
    if (!words || !earlier.exact() || later.kind != UseKind::storage || !later.exact()) return {};
    return fmt::format(" at element {}", later.first / wordBytes);
}

struct Hazard {
    const char* rule = nullptr;
    std::string what;  // "reads 'input', which dispatch 0 'x' writes"
    std::string why;   // why a barrier is too weak, or why a wait has no effect
    bool setBefore = false;
    bool overwrites = false;  // all that is missing is that a write, which is available, is visible to an overwriting
};

// Barriers between the two commands may concern parts of the buffer: returns where, inside these bytes, those parts
// begin and end; and the end of these bytes.
std::vector<vk::DeviceSize> cutsBetween(const Use& use, std::span<const Command> commands, std::size_t j, std::size_t i)
{
    std::set<vk::DeviceSize> cuts = {use.end};
    for (const Command& command : commands.subspan(j + 1, i - j - 1)) {
        const auto* barrier = std::get_if<BarrierCommand>(&command);
        if (!barrier) continue;
        for (const Dependency& one : barrier->dependencies)
            // A dependency that covers only part of a word does not cover the word.
            for (const vk::DeviceSize cut : {(one.offset + wordBytes - 1) / wordBytes * wordBytes,
                                             endOf(one.offset, one.size) / wordBytes * wordBytes})
                if (one.buffer == use.buffer && cut > use.first && cut < use.end) cuts.insert(cut);
    }
    return {cuts.begin(), cuts.end()};
}

std::optional<Hazard> hazardIn(Use earlier, Use later, std::span<const Command> commands, std::size_t j, std::size_t i)
{
    const auto met = meetingOf(earlier, later);
    if (!met) return {};
    for (Use* use : {&earlier, &later}) {
        use->first = met->first;
        use->end = met->end;
    }
    earlier.reads = earlier.reads && !met->writtenFirst;
    earlier.writes = met->writtenFirst;
    later.reads = met->readThen;
    later.writes = met->writtenThen;
    const bool exact = earlier.exact() && later.exact();
    const Link link = linkBetween(earlier, later, exact, commands, j, i);
    const bool memory = !earlier.writes || (link.available && link.visible);
    if (link.execution && memory) return {};

    Hazard hazard;
    hazard.rule = link.barrier ? "weak-barrier" : "missing-barrier";
    hazard.what = fmt::format("{} buffer '{}'{}, which {} {}", doing(later), later.name, placeIn(earlier, later),
                              commandName(commands[j]), earlier.writes ? "writes" : "reads");
    hazard.setBefore = !link.barrier && link.setBefore;
    hazard.overwrites = link.execution && link.available && !later.reads;
    if (hazard.setBefore)
        hazard.why =
            "the wait between them is for an event that was set before the first of them; set again, and not reset "
            "since, it stays as it is";
    else if (!link.execution)
        hazard.why = "its stage masks do not make the second wait for the first";
    else if (!link.available)
        hazard.why = link.beside      ? "it is about another part of the buffer (its offset and size are in bytes)"
                     : link.elsewhere ? "it is about another buffer"
                     : link.noSource  ? "its source stage mask names no stage that writes"
                                      : "its source access mask lacks the write";
    else if (link.noTarget)
        hazard.why = later.reads ? "its destination stage mask names no stage that reads"
                                 : "its destination stage mask names no stage that writes";
    else
        hazard.why =
            later.reads ? "its destination access mask lacks the read" : "its destination access mask lacks the write";
    return hazard;
}

// Each part of a buffer that a barrier names may be ordered in a different way, so each is checked separately.
std::optional<Hazard> hazardBetween(const Use& earlier, const Use& later, std::span<const Command> commands,
                                    std::size_t j, std::size_t i)
{
    if (!earlier.exact() || !later.exact()) return hazardIn(earlier, later, commands, j, i);
    const auto met = meetingOf(earlier, later);
    if (!met) return {};
    Use part = earlier;
    part.first = met->first;
    part.end = met->end;
    for (const vk::DeviceSize cut : cutsBetween(part, commands, j, i)) {
        part.end = cut;
        if (auto hazard = hazardIn(part, later, commands, j, i)) return hazard;
        part.first = cut;
    }
    return {};
}

// Whether a use reads all words that one use writes and another one overwrites.
bool readsAll(const Use& use, const Use& earlier, const Use& later)
{
    const auto met = meetingOf(earlier, later);
    if (!met || !use.reads || use.buffer != earlier.buffer || use.first > met->first || use.end < met->end)
        return false;
    for (vk::DeviceSize block = met->first / blockBytes; use.words && block * blockBytes < met->end; ++block) {
        const vk::DeviceSize begin = block * blockBytes;
        const auto of = [&](const Use& one, bool written) { return blockOf(one, written, block, begin); };
        if ((of(earlier, true) & of(later, true) & ~of(use, false)) != 0) return false;
    }
    return true;
}

// A command between the two that reads what the first has written, and before which that is made available and visible,
// need only be waited for: what it has read may be overwritten.
bool isReadBetween(const Use& earlier, const Use& later, std::span<const Command> commands, std::size_t j,
                   std::size_t i, const std::vector<std::vector<Use>>& uses)
{
    for (std::size_t k = j + 1; k < i; ++k)
        for (const Use& use : uses[k])
            if (readsAll(use, earlier, later) && !hazardBetween(earlier, use, commands, j, k) &&
                !hazardBetween(use, later, commands, k, i))
                return true;
    return false;
}

// What a finding concerns, without its number: if each of many steps lacks the same barrier, one change repairs all.
std::string kindName(const Command& command)
{
    const auto* dispatch = std::get_if<DispatchCommand>(&command);
    return dispatch ? dispatch->kernel : std::get<TransferCommand>(command).call;
}

// How far back to look for earlier uses that a dispatch's use of a storage buffer may meet: of the commands before
// `since` only transfers matter. Most barriers separate all dispatches before them from all after them, for all memory
// or one whole buffer. Without this, the time for many dispatches grows with the cube of their number.
class LookBack {
public:
    explicit LookBack(const std::vector<std::vector<Use>>& uses)
    {
        for (const auto& all : uses)
            for (const Use& one : all) reach_[one.buffer] = std::max(reach_[one.buffer], one.end);
    }

    std::size_t since(Index buffer) const
    {
        const auto found = since_.find(buffer);
        return std::max(sinceAll_, found == since_.end() ? 0 : found->second);
    }

    // Whether a use may meet one of a dispatch since then.
    bool mayMeet(const Use& use) const
    {
        const auto found = touched_.find(use.buffer);
        if (found == touched_.end()) return false;
        const Touched& touched = found->second;
        if (touched.unknown || !use.words) return true;
        return share(touched.written, use.words->read) || share(touched.written, use.words->written) ||
               share(touched.read, use.words->written);
    }

    void pass(const Command& command, std::size_t i, const std::vector<Use>& uses)
    {
        if (std::holds_alternative<DispatchCommand>(command))
            for (const Use& use : uses) touched_[use.buffer].add(use);
        const auto* barrier = std::get_if<BarrierCommand>(&command);
        if (!barrier || barrier->covered != SIZE_MAX) return;
        for (const Dependency& one : barrier->dependencies) {
            if (!separates(one)) continue;
            if (!one.buffer) {
                sinceAll_ = i + 1;
                touched_.clear();
            } else if (const auto reach = reach_.find(*one.buffer);
                       reach != reach_.end() && covers(one, 0, reach->second)) {
                since_[*one.buffer] = i + 1;
                touched_.erase(*one.buffer);
            }
        }
    }

private:
    struct Touched {
        WordBits read, written;
        bool unknown = false;  // it is unknown which words

        void add(const Use& use)
        {
            if (!use.words || use.kind != UseKind::storage) {
                unknown = true;
                return;
            }
            for (const auto& [from, to] :
                 {std::pair(&use.words->read, &read), std::pair(&use.words->written, &written)}) {
                to->resize(std::max(to->size(), from->size()));
                for (std::size_t block = 0; block < from->size(); ++block) (*to)[block] |= (*from)[block];
            }
        }
    };

    static bool share(const WordBits& a, const WordBits& b)
    {
        for (std::size_t block = 0; block < std::min(a.size(), b.size()); ++block)
            if (a[block] & b[block]) return true;
        return false;
    }

    // Whether it orders all uses by dispatches of the memory that it names.
    static bool separates(const Dependency& one)
    {
        const Use dispatch;
        return (named(one.srcStages) & stageOf(dispatch)) && (named(one.dstStages) & stageOf(dispatch)) &&
               (one.srcAccess & writeAccess(dispatch)) && (one.dstAccess & readAccess(dispatch));
    }

    std::size_t sinceAll_ = 0;
    std::map<Index, std::size_t> since_;
    std::map<Index, Touched> touched_;
    std::map<Index, vk::DeviceSize> reach_;  // the end of all uses of the buffer, in bytes
};

// The finding about commands[i], if it has a hazard with commands[j] before it.
std::optional<Finding> findingBetween(std::span<const Command> commands, std::size_t j, std::size_t i,
                                      const std::vector<std::vector<Use>>& uses, const LookBack& lookBack)
{
    std::string what;
    Hazard first;
    std::string fix;
    for (const Use& later : uses[i])
        for (const Use& earlier : uses[j]) {
            if (later.kind == UseKind::storage && !earlier.isTransfer() && j < lookBack.since(later.buffer)) continue;
            const auto hazard = hazardBetween(earlier, later, commands, j, i);
            if (!hazard || (hazard->overwrites && isReadBetween(earlier, later, commands, j, i, uses))) continue;
            what += (what.empty() ? "" : ", and ") + hazard->what;
            // A read of a written word decides which barrier is needed; that barrier also covers a mere overwriting.
            if (!first.rule || (earlier.writes && later.reads)) {
                first = *hazard;
                fix = remedy(earlier, later);
            }
        }
    if (!first.rule) return {};
    Finding finding;
    finding.rule = first.rule;
    const bool missing = finding.rule == "missing-barrier";
    finding.message =
        fmt::format("{} {}, {}; {}: {}", commandName(commands[i]), what,
                    missing ? "with no pipeline barrier between them" + (first.setBefore ? " (" + first.why + ")" : "")
                            : "but the pipeline barrier between them is too weak: " + first.why,
                    missing ? "insert before it" : "what is needed", fix);
    if (const auto* dispatch = std::get_if<DispatchCommand>(&commands[i])) finding.dispatch = dispatch->index;
    finding.cause = fmt::format("{} after {}: {}", kindName(commands[i]), kindName(commands[j]), first.why);
    return finding;
}

}  // namespace

std::vector<Finding> hazards(const std::vector<Command>& commands, const WordsOfDispatches& words)
{
    std::vector<std::vector<Use>> uses;
    for (const Command& command : commands) uses.push_back(usesOf(command, words));
    std::vector<Finding> findings;
    std::vector<std::size_t> transfers;  // those seen so far
    LookBack lookBack(uses);
    const auto look = [&](std::size_t j, std::size_t i) {
        auto finding = findingBetween(commands, j, i, uses, lookBack);
        if (finding) findings.push_back(std::move(*finding));
        return finding.has_value();
    };
    const auto find = [&](std::size_t i) {
        if (uses[i].empty()) return;
        std::size_t end = std::holds_alternative<DispatchCommand>(commands[i]) ? i : 0;
        for (const Use& use : uses[i])
            if (use.kind != UseKind::storage)
                end = 0;
            else if (lookBack.mayMeet(use))
                end = std::min(end, lookBack.since(use.buffer));
        for (std::size_t j = i; j-- > end;)
            if (look(j, i)) return;
        for (std::size_t k = transfers.size(); k-- > 0;)
            if (transfers[k] < end && look(transfers[k], i)) return;
    };
    for (std::size_t i = 0; i < commands.size(); ++i) {
        find(i);
        lookBack.pass(commands[i], i, uses[i]);
        if (std::holds_alternative<TransferCommand>(commands[i])) transfers.push_back(i);
    }
    return findings;
}

std::string dependencyText(const Dependency& one)
{
    const auto side = [](Stages stages, Accesses accesses) {
        return fmt::format("{}/{}", maskText(stages), maskText(accesses));
    };
    return side(one.srcStages, one.srcAccess) + " -> " + side(one.dstStages, one.dstAccess);
}

}  // namespace a2
