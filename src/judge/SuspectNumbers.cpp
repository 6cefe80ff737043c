#include "judge/SuspectNumbers.h"

#include "gpu/Shaders.h"
#include "recording/Recording.h"
#include "spirv/ComparedNumbers.h"

#include <algorithm>
#include <cstring>
#include <span>

namespace a2 {

namespace {

constexpr std::size_t most = 16;  // each is tried by a walk

class Suspects {
public:
    void add(std::uint32_t number)
    {
        if (number > 1 && all.size() < most && std::ranges::find(all, number) == all.end()) all.push_back(number);
    }
    void addWords(std::span<const std::uint8_t> bytes, std::uint64_t above)
    {
        for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes.size(); at += sizeof(std::uint32_t)) {
            std::uint32_t word = 0;
            std::memcpy(&word, bytes.data() + at, sizeof word);
            if (word > above) add(word);
        }
    }

    std::vector<std::uint32_t> all;
};

}  // namespace

std::vector<std::uint32_t> suspectNumbers(Device& gpu, const Recording& recording, std::uint64_t n)
{
    Suspects suspects;
    for (const RecordedPipeline& one : recording.pipelines)
        for (const std::uint32_t number : comparedNumbers(SpirvModule(codeOf(gpu, one)))) suspects.add(number);
    const std::uint64_t lengths = 4 * n;  // bytes of an array of this length, and numbers of tiles, are below
    for (const RecordedRun& run : recording.runs)
        for (const RecordedCommand& command : run.commands) {
            if (const auto* transfer = std::get_if<RecordedTransfer>(&command)) {
                if (transfer->kind == RecordedTransfer::Kind::fill && transfer->fill > lengths)
                    suspects.add(transfer->fill);
                suspects.addWords(transfer->data, lengths);
            } else if (const auto* dispatch = std::get_if<RecordedDispatch>(&command)) {
                for (const RecordedDispatch::Push& push : dispatch->push) suspects.addWords(push.bytes, lengths);
            }
        }
    for (const RecordedPipeline& one : recording.pipelines)
        for (const RecordedPipeline::Constant& constant : one.constants) suspects.addWords(constant.bytes, lengths);
    return suspects.all;
}

}  // namespace a2
