#include "gpu/DeviceLimits.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/NotFollowed.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

void checkLocalSize(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape)
{
    const auto& limits = gpu.limits();
    const auto refuse = [&](const std::string& what) {
        throw KernelError(
            fmt::format("{} has {}: {}. A work-group of {} was asked for: take it from specialisation constant 0, as "
                        "include/A2Kernels.h does",
                        shader, localSizeText(facts), what, shape.workGroup));
    };
    std::uint64_t invocations = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        const std::uint64_t most = limits.maxComputeWorkGroupSize[i];
        if (facts.localSize[i] == 0) refuse("a work-group without invocations does nothing");
        if (facts.localSize[i] > most)
            refuse(fmt::format("that is more than this device's maxComputeWorkGroupSize[{}] of {}", i, most));
        invocations *= facts.localSize[i];  // no overflow: each is at most 32 bits, and much less once checked
    }
    if (invocations > limits.maxComputeWorkGroupInvocations)
        refuse(fmt::format("these {} invocations are more than this device's maxComputeWorkGroupInvocations of {}",
                           invocations, limits.maxComputeWorkGroupInvocations));
}

}  // namespace

void checkShape(const Device& gpu, const KernelShape& shape)
{
    const auto& limits = gpu.limits();
    const std::uint32_t most = std::min(limits.maxComputeWorkGroupInvocations, limits.maxComputeWorkGroupSize[0]);
    if (shape.workGroup > most)
        throw LimitError(
            fmt::format("a work-group of {} is more than this device's maxComputeWorkGroupInvocations of {}; choose a "
                        "smaller --workgroup",
                        shape.workGroup, most));
}

std::uint64_t sharedBytesFor(const KernelShape& shape)
{
    constexpr std::uint64_t fewestBanks = 16, fewWords = 64;
    const std::uint64_t tile = std::bit_ceil(shape.tile());
    return (2 * (tile + tile / fewestBanks) + shape.workGroup + fewWords) * sizeof(std::uint32_t);
}

void checkSharedMemory(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape,
                       std::uint64_t asked)
{
    const std::uint64_t most = gpu.limits().maxComputeSharedMemorySize;
    if (!facts.sharedBytes || *facts.sharedBytes <= most) return;
    if (asked > most)
        throw LimitError(
            fmt::format("{}: {} bytes of shared memory (work-group {}, {} elements per invocation) are more than this "
                        "device's maxComputeSharedMemorySize of {}; choose a smaller --workgroup or --elements",
                        shader, *facts.sharedBytes, shape.workGroup, shape.elements, most));
    throw KernelError(fmt::format(
        "{}: {} bytes of shared memory are more than this device's maxComputeSharedMemorySize of {}, and "
        "more than it was asked for: the tile of a work-group of {} with {} elements per invocation has {} "
        "bytes",
        shader, *facts.sharedBytes, most, shape.workGroup, shape.elements, shape.tile() * sizeof(std::uint32_t)));
}

void checkKernel(const Device& gpu, const std::string& shader, const KernelFacts& facts, const KernelShape& shape)
{
    for (const std::string& need : facts.needs) {
        if (gpu.features.has(need)) continue;
        const std::string what =
            fmt::format("{} needs {}, which this device does not offer to compute shaders", shader, need);
        if (gpu.isEmulated()) throw NotFollowedError(what + "; only another device can judge it");
        throw KernelError(what + "; do without it, or choose another device (-d)");
    }
    checkLocalSize(gpu, shader, facts, shape);
    checkSharedMemory(gpu, shader, facts, shape, sharedBytesFor(shape));
}

void checkBinding(const Device& gpu, std::uint64_t count, const std::string& buffer)
{
    constexpr std::uint64_t elementBytes = sizeof(std::uint32_t);
    const vk::DeviceSize most = gpu.limits().maxStorageBufferRange;
    if (count > most / elementBytes)
        throw LimitError(
            fmt::format("{} elements of buffer '{}' need {} in one binding, and this device binds at most {} elements "
                        "(maxStorageBufferRange of {}); choose a smaller --size, or a task that goes through its array "
                        "in slices",
                        count, buffer, sizeText(count * elementBytes), most / elementBytes, sizeText(most)));
}

}  // namespace a2
