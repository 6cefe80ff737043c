#include "recording/RecordedText.h"

#include "recording/MaskText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace a2 {

namespace {

class Lines {
public:
    explicit Lines(const Recording& recording) : recording_(recording) {}

    std::string operator()(const RecordedDispatch& one)
    {
        std::string line = "dispatch ";
        line += one.pipeline ? kernelName(recording_.pipelines[*one.pipeline].shader) : "without a pipeline";
        line += one.indirect ? " by " + buffer(one.indirect->buffer) : extentText(one.groups);
        if (one.base != decltype(one.base){}) line += " from" + extentText(one.base);
        std::string separator = "; ";
        for (const RecordedDispatch::Set& set : one.sets) {
            for (const RecordedSet::Range& range : recording_.sets[set.set].ranges) {
                line += fmt::format("{}{}.{} {}", separator, set.number, range.binding,
                                    part(range.buffer, range.offset, range.bytes));
                separator = ", ";
            }
            if (!set.dynamicOffsets.empty()) line += fmt::format(" + {}", fmt::join(set.dynamicOffsets, " + "));
        }
        for (const RecordedDispatch::Push& push : one.push) line += pushText(push);
        return line;
    }

    std::string operator()(const RecordedBarrier& one)
    {
        std::string line = one.waits ? "wait" : "barrier";
        for (const RecordedBarrier::Dependency& edge : one.dependencies) {
            line += fmt::format("; {}:{} to {}:{}", maskText(vk::PipelineStageFlags2(edge.srcStages)),
                                maskText(vk::AccessFlags2(edge.srcAccess)),
                                maskText(vk::PipelineStageFlags2(edge.dstStages)),
                                maskText(vk::AccessFlags2(edge.dstAccess)));
            if (edge.buffer) line += ", " + part(*edge.buffer, edge.offset, edge.bytes);
        }
        return line;
    }

    std::string operator()(const RecordedTransfer& one)
    {
        const std::string to = part(one.to, one.toOffset, one.bytes);
        if (one.kind == RecordedTransfer::Kind::fill) return fmt::format("fill {} with {}", to, one.fill);
        if (one.kind == RecordedTransfer::Kind::update) return "update " + to;
        return fmt::format("copy {} to {}", part(one.from, one.fromOffset, one.bytes), to);
    }

private:
    static std::string extentText(const std::array<std::uint32_t, 3>& extent)
    {
        return fmt::format(" {} x {} x {}", extent[0], extent[1], extent[2]);
    }

    static std::string pushText(const RecordedDispatch::Push& push)
    {
        const std::string where = push.offset > 0 ? fmt::format(" at {}", push.offset) : "";
        if (push.bytes.size() % sizeof(std::uint32_t) != 0)
            return fmt::format("; push{} {:02x}", where, fmt::join(push.bytes, ""));
        std::vector<std::uint32_t> words(push.bytes.size() / sizeof(std::uint32_t));
        std::memcpy(words.data(), push.bytes.data(), push.bytes.size());
        return fmt::format("; push{} {}", where, fmt::join(words, ", "));
    }

    std::string buffer(Index index)
    {
        switch (recording_.buffers[index].role) {
            case RecordedBuffer::Role::input:
                return "input";
            case RecordedBuffer::Role::blockOffsets:
                return "offsets";
            case RecordedBuffer::Role::made:
                break;
        }
        return fmt::format("made {}", made_.emplace(index, made_.size()).first->second);
    }

    std::string part(Index index, std::uint64_t offset, std::uint64_t bytes)
    {
        const bool whole = offset == 0 && bytes == recording_.buffers[index].bytes;
        return buffer(index) + (whole ? "" : fmt::format(" [{}, {}]", offset, bytes));
    }

    const Recording& recording_;
    std::map<Index, std::size_t> made_;
};

}  // namespace

std::vector<std::string> recordedLines(const Recording& recording, std::size_t most)
{
    std::vector<std::string> made;
    if (recording.runs.empty()) return made;
    Lines lines(recording);
    for (const RecordedCommand& command : recording.runs.front().commands) {
        if (made.size() == most) break;
        made.push_back(std::visit(lines, command));
    }
    return made;
}

}  // namespace a2
