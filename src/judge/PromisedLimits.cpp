#include "judge/PromisedLimits.h"

#include "gpu/Device.h"
#include "gpu/Shaders.h"
#include "judge/StudentSolution.h"
#include "lint/EmulatedRun.h"
#include "spirv/KernelFacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace a2 {

namespace {

// "Required Limits" of the Vulkan specification, 1.0 to 1.3.
constexpr std::uint32_t invocations = 128, sharedBytes = 16'384, storageBuffers = 4;

class WithPromisedLimits {
public:
    explicit WithPromisedLimits(Device& gpu) : limits_(gpu.properties.limits), own_(limits_)
    {
        limits_.maxComputeWorkGroupInvocations = std::min(own_.maxComputeWorkGroupInvocations, invocations);
        for (std::size_t i = 0; i < 2; ++i)
            limits_.maxComputeWorkGroupSize[i] = std::min(own_.maxComputeWorkGroupSize[i], invocations);
        limits_.maxComputeSharedMemorySize = std::min(own_.maxComputeSharedMemorySize, sharedBytes);
        limits_.maxPerStageDescriptorStorageBuffers =
            std::min(own_.maxPerStageDescriptorStorageBuffers, storageBuffers);
    }
    ~WithPromisedLimits() { limits_ = own_; }
    WithPromisedLimits(const WithPromisedLimits&) = delete;
    WithPromisedLimits& operator=(const WithPromisedLimits&) = delete;

private:
    vk::PhysicalDeviceLimits& limits_;
    const vk::PhysicalDeviceLimits own_;
};

std::uint32_t storageBuffersOf(const Recording& recording, const RecordedLayout& layout)
{
    std::uint32_t count = 0;
    for (const Index set : layout.setLayouts)
        for (const RecordedSetLayout::Binding& one : recording.setLayouts[set].bindings)
            if (one.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER || one.type == VK_DESCRIPTOR_TYPE_STORAGE_BUFFER_DYNAMIC)
                count += one.count;
    return count;
}

}  // namespace

std::vector<Finding> beyondPromisedLimits(Device& gpu, const Task& task)
{
    KernelShape shape{64, task.elementsUnit};
    const WithPromisedLimits narrowed(gpu);
    const Recording recording = recordingOf(gpu, task, shape, 3 * shape.tile() + 1);
    std::vector<Finding> notes;
    std::set<Index> looked;
    for (const RecordedCommand& command : recording.runs.front().commands) {
        const auto* dispatch = std::get_if<RecordedDispatch>(&command);
        if (!dispatch || !dispatch->pipeline || !looked.insert(*dispatch->pipeline).second) continue;
        const RecordedPipeline& pipeline = recording.pipelines[*dispatch->pipeline];
        const KernelFacts facts = kernelFacts(SpirvModule(codeOf(gpu, pipeline)), specialisationOf(pipeline));
        const auto compare = [&](std::uint64_t has, std::uint64_t promised, const char* what, const char* limit) {
            if (has > promised)
                notes.push_back({"promised-limits",
                                 fmt::format("dispatch '{}' takes {} {}, and Vulkan promises {} ({})",
                                             dispatch->label.empty() ? pipeline.shader : dispatch->label, has, what,
                                             promised, limit),
                                 {},
                                 Severity::note});
        };
        compare(facts.invocations(), invocations, "invocations in a work-group", "maxComputeWorkGroupInvocations");
        compare(facts.sharedBytes.value_or(0), sharedBytes, "bytes of shared memory", "maxComputeSharedMemorySize");
        compare(storageBuffersOf(recording, recording.layouts[pipeline.layout]), storageBuffers,
                "storage buffers in its layout", "maxPerStageDescriptorStorageBuffers");
    }
    return notes;
}

}  // namespace a2
