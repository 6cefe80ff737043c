#include "judge/Digest.h"

#include "a2/Folding.h"
#include "gpu/Device.h"
#include "gpu/Shaders.h"
#include "judge/Matrix.h"

#include <algorithm>
#include <atomic>

namespace a2 {

Digest digestOf(std::span<const std::uint32_t> words, const ElementType& element)
{
    Digest digest;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::uint32_t number = element.isReal ? element.number(words[i]) : words[i];
        digest.sum += number;
        digest.weighted += number * static_cast<std::uint32_t>(i);
    }
    return digest;
}

Digest expectedDigest(const Expectation& expectation)
{
    std::atomic<std::uint32_t> sum = 0, weighted = 0;
    inParallel(expectation.resultSize(), [&](std::uint64_t first, std::uint64_t end) {
        Digest part;
        for (std::uint64_t i = first; i < end; ++i) {
            const std::uint32_t word = expectation.result(i);
            part.sum += word;
            part.weighted += word * static_cast<std::uint32_t>(i);
        }
        sum += part.sum;
        weighted += part.weighted;
    });
    return {sum, weighted};
}

DeviceDigests::DeviceDigests(Device& gpu, unsigned count, const ElementType& element)
    : gpu_(gpu), element_(element), digests_(gpu, "digests", count * apart)
{
}

void DeviceDigests::record(Commands& cb, unsigned number, const DeviceBuffer& buffer, std::uint64_t words)
{
    using Access = vk::AccessFlagBits;
    constexpr auto transfer = vk::PipelineStageFlagBits::eTransfer, compute = vk::PipelineStageFlagBits::eComputeShader;
    auto found = dispatches_.find({buffer.memory(), number});
    if (found == dispatches_.end())
        found = dispatches_.emplace(std::pair(buffer.memory(), number), makeDispatches(number, buffer, words)).first;
    cb.fill(region(number), 0);
    cb.barrier(transfer, Access::eTransferWrite, compute, Access::eShaderRead | Access::eShaderWrite);
    for (const auto& one : found->second) one.record(cb);  // atomics of one do not disturb those of the other
    cb.barrier(compute, Access::eShaderWrite, transfer, Access::eTransferRead);
}

Region DeviceDigests::region(unsigned number) const
{
    return digests_.region(number * apart, sizeof(Digest) / sizeof(std::uint32_t));
}

DeviceDigests::Dispatches DeviceDigests::makeDispatches(unsigned number, const DeviceBuffer& buffer,
                                                        std::uint64_t words) const
{
    // Enough to keep a device busy, few enough for their atomics to be cheap; of a short array, a few words each.
    constexpr std::uint64_t mostGroups = 1024, fewWords = 16;
    const KernelShape shape{std::min(256U, matrixWorkGroups(gpu_).back()), 2, false};
    const BoundElements digest(digests_, number * apart, apart);
    Dispatches all;
    for (const Slice& slice : slices(words, 1, gpu_.limits().maxStorageBufferRange)) {
        const Push push{static_cast<std::uint32_t>(slice.count), static_cast<std::uint32_t>(slice.first),
                        element_.isReal ? 1U : 0U};
        // Not folded: an invocation goes on as far along x as there are invocations.
        const std::uint64_t mostAlongX = gpu_.limits().maxComputeWorkGroupCount[0];
        const WorkGroups groups{static_cast<std::uint32_t>(std::min(
                                    {mostGroups, mostAlongX, ceilDiv(slice.count, shape.workGroup * fewWords)})),
                                1};
        all.emplace_back(gpu_, digestShader, shape,
                         std::vector<BoundElements>{{buffer, slice.first, slice.count}, digest}, push, groups,
                         "digest");
    }
    return all;
}

}  // namespace a2
