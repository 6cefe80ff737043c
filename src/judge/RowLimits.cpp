#include "judge/RowLimits.h"

#include "a2/Error.h"
#include "a2/Slices.h"
#include "gpu/Device.h"
#include "gpu/DeviceBuffer.h"
#include "gpu/DeviceLimits.h"
#include "gpu/Shaders.h"

#include <fmt/format.h>

#include <algorithm>
#include <new>

namespace a2 {

namespace {

void checkElements(const Task& task, const KernelShape& shape)
{
    const std::uint32_t unit = task.elementsUnit;
    if (shape.elements % unit != 0)
        throw LimitError(fmt::format("{} takes {} elements at a time: choose --elements {}, {}, ...", task.id, unit,
                                     unit, 2 * unit));
}

void checkFeatures(const Device& gpu, const Task& task)
{
    for (const std::string& one : task.needs)
        if (!gpu.features.has(one))
            throw LimitError(
                fmt::format("{} needs {}, which this device does not offer to compute shaders; the course's own rows "
                            "run without it",
                            task.id, one));
}

// Only if some kernel in this shape may need too much. If a kernel needs more than its shape requires, that is not the
// device's limit, and making the kernel fails.
void checkShared(Device& gpu, const Task& task, const KernelShape& shape)
{
    const std::uint64_t most = sharedBytesFor(task, shape);
    if (most <= gpu.limits().maxComputeSharedMemorySize) return;
    for (const std::string& shader : task.shaders)
        checkSharedMemory(gpu, shader, shaderFacts(gpu, shader, shape), shape, most);
}

void checkGroups(const Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n)
{
    if (task.bindsWhole) {
        checkBinding(gpu, n, "input");
        gpu.foldGroups(ceilDiv(n, shape.tile()));
        return;
    }
    for (const Slice& slice : slices(n, shape.tile(), gpu.limits().maxStorageBufferRange)) gpu.foldGroups(slice.tiles);
}

}  // namespace

std::uint64_t sharedBytesFor(const Task& task, const KernelShape& shape)
{
    const std::uint64_t beside = std::uint64_t{task.sharedWordsPerInvocation} * shape.workGroup;
    return std::max(sharedBytesFor(shape) + beside * sizeof(std::uint32_t),
                    std::uint64_t{task.sharedWords} * sizeof(std::uint32_t));
}

void checkRow(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n)
{
    if (task.byDefault)
        for (const std::string& shader : task.shaders) gpu.kernelSources.mustBeHere(shader);
    checkShape(gpu, shape);
    checkElements(task, shape);
    checkFeatures(gpu, task);
    checkShared(gpu, task, shape);
    checkGroups(gpu, task, shape, n);
    if (task.limits) task.limits(gpu, shape, n);
}

void tryMemory(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n)
{
    constexpr std::uint64_t little = 1024;  // words in addition
    // An array of the input's length, or half of that if the work is done in place. This also covers what is kept for
    // each tile, and for each tile of those in turn.
    const std::uint64_t array = task.taskClass->ownArray ? n : ceilDiv(n, 2);
    const std::uint64_t tiles = ceilDiv(n, std::max<std::uint64_t>(2, shape.tile()) - 1) * task.wordsPerTile + little;
    try {
        const DeviceBuffer first(gpu, "a solution's memory", array), second(gpu, "a solution's memory per tile", tiles);
    } catch (const vk::SystemError& error) {
        if (error.code() == vk::Result::eErrorDeviceLost) throw;
        throw LimitError(fmt::format("the device refused {} for a solution ({}); choose a smaller --size",
                                     sizeText(vk::DeviceSize{(array + tiles) * sizeof(std::uint32_t)}), error.what()));
    }
    const std::unique_ptr<std::uint32_t[]> host(new (std::nothrow) std::uint32_t[array + tiles]);
    if (!host)
        throw LimitError(
            fmt::format("this machine's main memory has no {} left for a solution; choose a smaller "
                        "--size",
                        sizeText(vk::DeviceSize{(array + tiles) * sizeof(std::uint32_t)})));
}

}  // namespace a2
