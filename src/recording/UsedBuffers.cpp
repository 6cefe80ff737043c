#include "recording/UsedBuffers.h"

#include <variant>

namespace a2 {

std::vector<bool> usedBuffers(const Recording& recording)
{
    std::vector<bool> used(recording.buffers.size());
    for (const RecordedUpload& one : recording.uploads) used[one.buffer] = true;
    for (const RecordedSet& set : recording.sets)
        for (const RecordedSet::Range& one : set.ranges) used[one.buffer] = true;
    for (const RecordedRun& run : recording.runs) {
        used[run.result] = true;
        for (const RecordedCommand& command : run.commands) {
            if (const auto* dispatch = std::get_if<RecordedDispatch>(&command)) {
                if (dispatch->indirect) used[dispatch->indirect->buffer] = true;
            } else if (const auto* barrier = std::get_if<RecordedBarrier>(&command)) {
                for (const auto& one : barrier->dependencies)
                    if (one.buffer) used[*one.buffer] = true;
            } else {
                const auto& transfer = std::get<RecordedTransfer>(command);
                used[transfer.to] = true;
                if (transfer.kind == RecordedTransfer::Kind::copy) used[transfer.from] = true;
            }
        }
    }
    return used;
}

std::optional<Index> givenAs(RecordedBuffer::Role role, const Recording& recording)
{
    for (Index i = 0; i < recording.buffers.size(); ++i)
        if (recording.buffers[i].role == role) return i;
    return {};
}

}  // namespace a2
