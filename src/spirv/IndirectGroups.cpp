#include "spirv/IndirectGroups.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t wordBytes = sizeof(std::uint32_t);

struct WordPlace {
    Index buffer;
    std::uint64_t offset;  // of a word, in bytes
};

// Goes back through a run to the last write to a word.
class WordSearch {
public:
    WordSearch(const Recording& recording, const FactsOfPipelines& facts, const RecordedRun& run)
        : recording_(recording), facts_(facts), run_(run)
    {
    }

    std::optional<std::uint32_t> find(WordPlace place, std::size_t before) const
    {
        for (std::size_t i = before; i-- > 0;) {
            if (place.offset % wordBytes != 0) return {};  // a copy may have moved single bytes
            if (const auto* dispatch = std::get_if<RecordedDispatch>(&run_.commands[i])) {
                if (writes(*dispatch, place)) return {};
                continue;
            }
            const auto* transfer = std::get_if<RecordedTransfer>(&run_.commands[i]);
            if (!transfer || transfer->to != place.buffer || place.offset + wordBytes <= transfer->toOffset ||
                place.offset >= transfer->toOffset + transfer->bytes)
                continue;
            const std::uint64_t in = place.offset - transfer->toOffset;
            if (place.offset < transfer->toOffset || in + wordBytes > transfer->bytes) return {};
            if (transfer->kind == RecordedTransfer::Kind::fill) return transfer->fill;
            if (transfer->kind == RecordedTransfer::Kind::update) return littleEndian(transfer->data, in);
            place = {transfer->from, transfer->fromOffset + in};
        }
        return kept(place);
    }

private:
    static std::uint32_t littleEndian(const std::vector<std::uint8_t>& bytes, std::uint64_t at)
    {
        std::uint32_t word = 0;
        for (unsigned i = 0; i < wordBytes; ++i) word |= std::uint32_t{bytes[at + i]} << (8 * i);
        return word;
    }

    bool writes(const RecordedDispatch& dispatch, const WordPlace& place) const
    {
        if (!dispatch.pipeline) return false;
        for (const RecordedDispatch::Set& bound : dispatch.sets)
            for (const RecordedSet::Range& range : recording_.sets[bound.set].ranges) {
                if (range.buffer != place.buffer || !writes(*dispatch.pipeline, bound.number, range.binding)) continue;
                if (!bound.dynamicOffsets.empty()) return true;  // so it may be written
                if (place.offset < range.offset + range.bytes && range.offset < place.offset + wordBytes) return true;
            }
        return false;
    }
    bool writes(Index pipeline, std::uint32_t set, std::uint32_t binding) const
    {
        const auto& bindings = facts_[pipeline]->bindings;
        return std::any_of(bindings.begin(), bindings.end(), [&](const KernelBinding& one) {
            return one.set == set && one.binding == binding && one.writes;
        });
    }

    // The word before the run: poison, or what the solution put into a buffer that is kept and that no run writes to.
    std::optional<std::uint32_t> kept(const WordPlace& place) const
    {
        if (place.offset % wordBytes != 0) return {};
        const RecordedBuffer& buffer = recording_.buffers[place.buffer];
        if (!isKept(buffer)) return {};
        for (const RecordedRun& run : recording_.runs)
            for (const RecordedCommand& command : run.commands) {
                const auto* dispatch = std::get_if<RecordedDispatch>(&command);
                const auto* transfer = std::get_if<RecordedTransfer>(&command);
                if ((dispatch && writes(*dispatch, place)) || (transfer && transfer->to == place.buffer)) return {};
            }
        std::optional<std::uint32_t> word;
        for (const RecordedUpload& one : recording_.uploads) {
            const std::uint64_t at = place.offset / wordBytes;
            if (one.buffer == place.buffer && at >= one.firstWord && at - one.firstWord < one.count())
                word = one.words[(at - one.firstWord) % one.words.size()];
        }
        return word;
    }

    const Recording& recording_;
    const FactsOfPipelines& facts_;
    const RecordedRun& run_;
};

}  // namespace

std::optional<std::array<std::uint32_t, 3>> indirectGroups(const Recording& recording, const FactsOfPipelines& facts,
                                                           const RecordedRun& run, std::size_t command)
{
    const RecordedDispatch::Indirect& from = *std::get<RecordedDispatch>(run.commands[command]).indirect;
    const WordSearch search(recording, facts, run);
    std::array<std::uint32_t, 3> groups{};
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const auto word = search.find({from.buffer, from.offset + i * wordBytes}, command);
        if (!word) return {};
        groups[i] = *word;
    }
    return groups;
}

}  // namespace a2
