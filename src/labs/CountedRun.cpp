#include "labs/CountedRun.h"

#include "a2/Error.h"
#include "gpu/GpuState.h"
#include "gpu/SingleDispatch.h"
#include "gpu/TimedRun.h"
#include "observe/CommandLog.h"
#include "observe/Observing.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

const PipelineKey& keyOf(const Gpu& gpu, const DispatchCommand& dispatch)
{
    for (const auto& [key, objects] : gpu.state().pipelines)
        if (*objects.pipeline == dispatch.pipeline) return key;
    throw KernelError(
        fmt::format("'{}' cannot be counted: its pipeline is not made by ComputePipeline", dispatch.label));
}

// One dispatch by its counting kernel.
class CountedDispatch {
public:
    CountedDispatch(Gpu& gpu, const DispatchCommand& dispatch) : CountedDispatch(gpu, dispatch, keyOf(gpu, dispatch)) {}

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

    KernelTotals totals(Gpu& gpu) const
    {
        std::vector<std::uint32_t> words(totalsWords);
        fillHostWithStagingBuffer(gpu, *totals_, words);
        return readTotals(words);
    }

private:
    CountedDispatch(Gpu& gpu, const DispatchCommand& dispatch, const PipelineKey& key)
        : totals_(std::make_unique<Buffer>(gpu, "counts", totalsWords)),
          kernel_(gpu, key.shader + countedSuffix, key.bindings + 1, key.pushBytes,
                  {key.workGroup, key.elements, key.exclusive != 0, key.places}),
          set_(kernel_.makeDescriptorSet(std::vector<BufferSlice>(key.bindings + 1, *totals_))),
          groups_(dispatch.groups)
    {
        // All bindings but the last as the dispatch had them.
        for (const BoundBuffer& one : dispatch.buffers) {
            const vk::DescriptorBufferInfo info(one.buffer, one.offset, one.range);
            gpu.device().updateDescriptorSets(
                vk::WriteDescriptorSet(set_, one.binding, 0, 1, vk::DescriptorType::eStorageBuffer, nullptr, &info),
                {});
        }
        for (std::uint32_t i = 0; i < key.pushBytes / sizeof(std::uint32_t); ++i)
            push_.push_back(dispatch.push.at(i).value_or(0));
    }

    std::unique_ptr<Buffer> totals_;
    ComputePipeline kernel_;
    vk::DescriptorSet set_;
    std::array<std::uint32_t, 3> groups_;
    std::vector<std::uint32_t> push_;
};

}  // namespace

std::vector<KernelTotals> countedRun(Gpu& gpu, const std::function<std::unique_ptr<Solution>()>& make,
                                     const std::function<void(const Buffer& result)>& look)
{
    CommandLog log(gpu.state());
    std::unique_ptr<Solution> solution;
    {
        const Observing observing(log);  // for the descriptor sets
        solution = make();
    }
    TimedRun timed(gpu);
    timed.run(Timer::gpu, {}, [&](vk::CommandBuffer cb) {
        log.beginRecording();
        const Observing observing(log);
        solution->record(cb);
    });

    std::vector<CountedDispatch> counted;
    for (const DispatchCommand* one : log.dispatches()) counted.emplace_back(gpu, *one);
    timed.run(
        Timer::gpu,
        [&](vk::CommandBuffer cb) {
            const Buffer& result = solution->result();
            cb.fillBuffer(result.handle(), result.firstByte(), result.bytes(), 0xA5C3F00D);
            for (const CountedDispatch& one : counted) one.clear(cb);
        },
        [&](vk::CommandBuffer cb) {
            for (const CountedDispatch& one : counted) {
                one.record(cb);
                waitForWrites(cb);
            }
        });
    look(solution->result());
    std::vector<KernelTotals> totals;
    for (const CountedDispatch& one : counted) totals.push_back(one.totals(gpu));
    return totals;
}

}  // namespace a2
