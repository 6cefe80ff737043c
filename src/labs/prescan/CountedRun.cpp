#include "labs/prescan/CountedRun.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "gpu/SingleDispatch.h"
#include "gpu/TimedRun.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

const PipelineKey& keyOf(const DispatchCommand& dispatch)
{
    if (!dispatch.objects || dispatch.objects->key->shader.empty() || dispatch.objects->key->sets.size() != 1)
        throw KernelError(
            fmt::format("'{}' cannot be counted: its pipeline is not made by ComputePipeline", dispatch.label));
    return *dispatch.objects->key;
}

std::uint32_t bindingsOf(const PipelineKey& key)
{
    return static_cast<std::uint32_t>(key.sets.front().bindings.size());
}

// One dispatch by its counting kernel.
class CountingDispatch {
public:
    CountingDispatch(Device& gpu, const DispatchCommand& dispatch) : CountingDispatch(gpu, dispatch, keyOf(dispatch)) {}

    void record(vk::CommandBuffer cb) const
    {
        cb.bindPipeline(vk::PipelineBindPoint::eCompute, kernel_.pipeline());
        cb.bindDescriptorSets(vk::PipelineBindPoint::eCompute, kernel_.layout(), 0, set_, {});
        cb.pushConstants<std::uint32_t>(kernel_.layout(), vk::ShaderStageFlagBits::eCompute, 0, push_);
        cb.dispatch(groups_[0], groups_[1], groups_[2]);
    }

    void clear(vk::CommandBuffer cb) const
    {
        cb.fillBuffer(totals_->handle(), totals_->firstByte(), totals_->bytes(), 0);
    }

    KernelTotals totals(Device& gpu) const
    {
        std::vector<std::uint32_t> words(totalsWords);
        fillHost(gpu, *totals_, words);
        return readTotals(words);
    }

private:
    CountingDispatch(Device& gpu, const DispatchCommand& dispatch, const PipelineKey& key)
        : totals_(std::make_unique<DeviceBuffer>(gpu, "counts", totalsWords)),
          kernel_(gpu, key.shader + countedSuffix, bindingsOf(key) + 1, key.pushBytes(), key.shape),
          set_(kernel_.makeDescriptorSet(std::vector<BoundElements>(bindingsOf(key) + 1, *totals_))),
          groups_(dispatch.groups)
    {
        // All bindings but the last as the dispatch had them.
        for (const BoundBuffer& one : dispatch.buffers) {
            const vk::DescriptorBufferInfo info(one.buffer, one.offset, one.range);
            (*gpu.device)
                .updateDescriptorSets(
                    vk::WriteDescriptorSet(set_, one.binding, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &info),
                    {});
        }
        for (std::uint32_t i = 0; i < key.pushBytes() / sizeof(std::uint32_t); ++i)
            push_.push_back(dispatch.push.at(i).value_or(0));
    }

    std::unique_ptr<DeviceBuffer> totals_;
    DeviceKernel kernel_;
    vk::DescriptorSet set_;
    std::array<std::uint32_t, 3> groups_;
    std::vector<std::uint32_t> push_;
};

}  // namespace

std::vector<KernelTotals> countedRun(Device& gpu, Runnable& work,
                                     const std::function<void(const DeviceBuffer& result)>& look)
{
    TimedRun timed(gpu);
    std::vector<CountingDispatch> counted;
    for (const DispatchCommand* one : work.log().dispatches()) counted.emplace_back(gpu, *one);
    timed.run(
        Timer::gpu,
        [&](vk::CommandBuffer cb) {
            const DeviceBuffer& result = work.result();
            cb.fillBuffer(result.handle(), result.firstByte(), result.bytes(), 0xA5C3F00D);
            for (const CountingDispatch& one : counted) one.clear(cb);
        },
        [&](vk::CommandBuffer cb) {
            for (const CountingDispatch& one : counted) {
                one.record(cb);
                waitForWrites(cb);
            }
        });
    look(work.result());
    std::vector<KernelTotals> totals;
    for (const CountingDispatch& one : counted) totals.push_back(one.totals(gpu));
    return totals;
}

}  // namespace a2
