// A recording on a device: its buffers, pipelines and descriptor sets, and its commands.
#pragma once

#include "gpu/DeviceBuffer.h"
#include "gpu/PipelineObjects.h"
#include "recording/Recording.h"
#include "spirv/IndirectGroups.h"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

class Replay {
public:
    // Makes everything, and does the uploads. The recording has passed checkRecording; the recording and the other
    // arguments must outlive this object. Throws LimitError, KernelError and EnvironmentError as DeviceBuffer and
    // pipelineFor do.
    Replay(Device& gpu, const Recording& recording, const DeviceBuffer& input, const DeviceBuffer* blockOffsets);

    const Recording& recording() const { return recording_; }
    // Null for a buffer that no command, set or result uses: it takes no memory on the device.
    const DeviceBuffer* usedBuffer(Index index) const { return buffers_.at(index); }
    // A used buffer; throws std::logic_error for any other.
    const DeviceBuffer& buffer(Index index) const;
    PipelineObjects& pipeline(Index index) const { return *pipelines_[index]; }
    FactsOfPipelines facts() const;  // valid as long as the device
    // The work-groups of a dispatch of the recording; empty for an indirect one whose work-groups are only known when
    // it runs.
    std::optional<std::array<std::uint32_t, 3>> groupsOf(const RecordedDispatch& dispatch) const;

    // Records the run's first `commands` commands as they were recorded: those are the ones that end on the device.
    void record(Commands& into, const RecordedRun& run, std::size_t commands) const;
    // Records one command with all the state that it needs, into a separate command buffer. Barriers are left out: work
    // submitted before has ended.
    void recordAlone(Commands& into, const RecordedCommand& command) const;

private:
    void makeBuffers(const DeviceBuffer& input, const DeviceBuffer* blockOffsets);
    void makePipelines();
    void makeSets();
    void findGroups();
    void upload() const;
    void recordCommand(Commands& into, const RecordedDispatch& dispatch) const;
    void recordCommand(Commands& into, const RecordedBarrier& barrier) const;
    void recordCommand(Commands& into, const RecordedTransfer& transfer) const;

    Device& gpu_;
    const Recording& recording_;
    std::vector<std::unique_ptr<DeviceBuffer>> made_;
    std::vector<const DeviceBuffer*> buffers_;                                  // by index
    std::vector<PipelineObjects*> pipelines_;                                   // by index
    std::map<const RecordedDispatch*, std::array<std::uint32_t, 3>> indirect_;  // work-groups, where they are known
    std::vector<std::unique_ptr<DeviceSet>> sets_;
};

}  // namespace a2
