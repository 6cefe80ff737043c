#include "judge/CopyPeak.h"

#include "gpu/Shaders.h"
#include "gpu/SingleDispatch.h"
#include "judge/Matrix.h"

#include <algorithm>

namespace a2 {

DeviceRate measureCopyPeak(Device& gpu, std::uint64_t n, const SeriesSettings& settings)
{
    constexpr std::uint64_t wordsPerVector = 4;
    const std::uint64_t vectors = ceilDiv(n, wordsPerVector);
    // A multiple of every subgroup size. Work-groups that do not quite fill a core were 0.4 % faster on the GPU of
    // docs/record.md than those of 128 or 256 invocations, which do fill it.
    const KernelShape shape{std::min(320U, matrixWorkGroups(gpu).back()), 2, false};
    const DeviceBuffer from(gpu, "copy source", vectors * wordsPerVector),
        to(gpu, "copy target", vectors * wordsPerVector);
    const auto count = static_cast<std::uint32_t>(vectors);
    const SingleDispatch<std::uint32_t> kernel(gpu, copyShader, shape, {from, to}, count,
                                               gpu.groupsFor(vectors, shape.workGroup), "copy");
    TimedRun timed(gpu);
    // Data that is all zero may move faster than real data.
    const auto fill = [&](Commands& cb) { cb.fill(from.region(), 0x9E3779B9); };
    const auto copy = [&](Commands& cb) { kernel.record(cb); };
    timed.run(settings.timer, fill, copy);
    const DeviceTimes times = timeOnDevice([&](Timer timer) { return timed.run(timer, {}, copy); }, settings);
    const auto bytes = static_cast<double>(2 * vectors * wordsPerVector * sizeof(std::uint32_t));
    return {times.ms.median > 0 ? bytes / times.ms.median / 1e6 : 0, times.timer};
}

}  // namespace a2
