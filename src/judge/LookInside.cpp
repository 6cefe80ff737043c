#include "judge/LookInside.h"

#include "gpu/Shaders.h"
#include "gpu/Staging.h"
#include "lint/EmulatedFindings.h"
#include "recording/OneDispatch.h"

#include <algorithm>
#include <numeric>

namespace a2 {

namespace {

EmulatorSettings settingsOn(const Device& gpu)
{
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = std::uint64_t{1} << 26;
    return settings;
}

void add(const Recording& recording, const EmulatedStep& step, Inside& inside)
{
    for (Finding& one : findingsOf(recording, step)) inside.findings.push_back(std::move(one));
    inside.endangers = inside.endangers || step.walk.endangers;
}

}  // namespace

Inside lookInside(const Workload& work, std::uint64_t n, const KernelShape& shape)
{
    constexpr std::uint64_t enough = 4096;
    Inside inside;
    const InPhase walking(work.gpu, "walking through the kernels on the host");
    work.follow(std::min(n, enough), shape, settingsOn(work.gpu),
                [&](const Recording& recording, const EmulatedStep& step) { add(recording, step, inside); });
    return inside;
}

Inside lookInside(Device& gpu, const OwnDispatch& own)
{
    constexpr std::uint64_t mostWords = std::uint64_t{1} << 16;
    const PipelineKey& kernel = *own.objects().key;
    if (std::accumulate(own.elements().begin(), own.elements().end(), std::uint64_t{0}) > mostWords) return {};
    const OneDispatch one{kernel.shader,  own.label(), kernel.shape,
                          own.elements(), own.push(),  {own.groups().x, own.groups().y, 1}};
    Recording recording = recordingOf(one);
    for (RecordedBuffer& buffer : recording.buffers) {  // their contents stay there
        buffer.role = RecordedBuffer::Role::made;
        buffer.lifetime = RecordedBuffer::Lifetime::solution;
    }
    EmulatedRun run(recording, shadersOf(gpu), {});
    for (Index i = 0; i < one.elements.size(); ++i)
        download(gpu, Region{own.bound()[i].memory, own.bound()[i].offset, one.elements[i]},
                 [&](std::uint64_t first, std::span<const std::uint32_t> chunk) {
                     const auto bytes = std::as_bytes(chunk);
                     run.buffer(i).update(first * sizeof(std::uint32_t),
                                          {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
                 });
    Inside inside;
    const InPhase walking(gpu, "walking through the kernels on the host");
    run.walk(recording.runs.front(), settingsOn(gpu), [&](const EmulatedStep& step) { add(recording, step, inside); });
    return inside;
}

}  // namespace a2
