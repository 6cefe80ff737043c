#include "gpu/TimedRun.h"

#include "base/Clock.h"
#include "gpu/Device.h"

#include <array>

namespace a2 {

namespace {

void fullBarrier(vk::CommandBuffer cb)
{
    constexpr auto everything = vk::AccessFlagBits::eMemoryRead | vk::AccessFlagBits::eMemoryWrite;
    cb.pipelineBarrier(vk::PipelineStageFlagBits::eAllCommands, vk::PipelineStageFlagBits::eAllCommands, {},
                       vk::MemoryBarrier(everything, everything), {}, {});
}

void recordInto(vk::CommandBuffer cb, const Record& commands)
{
    cb.begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    if (commands) commands(cb);
    fullBarrier(cb);
    cb.end();
}

}  // namespace

TimedRun::TimedRun(Device& gpu)
    : gpu_(gpu),
      setup_(gpu.makeCommandBuffer("restore and poison")),
      work_(gpu.makeCommandBuffer("timed work")),
      after_(gpu.makeCommandBuffer("read back"))
{
    if (gpu.timestampBits == 0) return;
    queries_ = vk::raii::QueryPool(gpu.device, vk::QueryPoolCreateInfo({}, vk::QueryType::eTimestamp, 2));
    gpu.setName(*queries_, "timestamps");
}

RunTime TimedRun::run(Timer timer, const Record& setup, const Record& work, const Record& after)
{
    Device& state = gpu_;
    const bool timestamps = *queries_ != vk::QueryPool();
    recordInto(*setup_, setup);
    recordInto(*work_, [&](vk::CommandBuffer cb) {
        // Both timestamps at the bottom of the pipe: the first is written when everything before has finished, the
        // second when the work has. No barrier stands before the second: making the work's writes visible to the host
        // is no part of the work (and took 3.4 us on an NVIDIA H200); the barrier after it does that.
        if (timestamps) {
            cb.resetQueryPool(*queries_, 0, 2);
            fullBarrier(cb);
            cb.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_, 0);
        }
        work(cb);
        if (timestamps) cb.writeTimestamp(vk::PipelineStageFlagBits::eBottomOfPipe, *queries_, 1);
    });
    if (after) recordInto(*after_, after);

    std::vector<vk::CommandBuffer> together;
    if (timer == Timer::gpu)
        together.push_back(*setup_);
    else
        state.submitAndWait({*setup_});
    together.push_back(*work_);
    if (timer == Timer::gpu && after) together.push_back(*after_);

    const auto start = Clock::now();
    state.submitAndWait(together);
    const double elapsedMs = msSince(start);
    state.ranKernels(elapsedMs);
    if (timer == Timer::host && after) state.submitAndWait({*after_});
    const auto gpuMs = timestamps ? readTimestamps() : std::nullopt;
    return {gpuMs && contradict(*gpuMs, elapsedMs) ? std::nullopt : gpuMs, elapsedMs};
}

bool contradict(double gpuMs, double hostMs)
{
    constexpr double clocksDiffer = 0.05, resolutionMs = 0.1;
    return gpuMs > hostMs * (1 + clocksDiffer) + resolutionMs;
}

std::optional<double> TimedRun::readTimestamps() const
{
    // The work has ended, so there is nothing to wait for: what is not there now will never be.
    std::array<std::uint64_t, 2> ticks{};
    const auto result = (*gpu_.device)
                            .getQueryPoolResults(*queries_, 0, 2, sizeof ticks, ticks.data(), sizeof ticks[0],
                                                 vk::QueryResultFlagBits::e64);
    if (result == vk::Result::eErrorDeviceLost) {
        gpu_.giveUp(deviceLost());
        gpu_.checkDevice();
    }
    if (result != vk::Result::eSuccess) return std::nullopt;
    return timestampMs(ticks[0], ticks[1], gpu_.timestampBits, gpu_.limits().timestampPeriod);
}

std::optional<double> timestampMs(std::uint64_t begin, std::uint64_t end, std::uint32_t validBits, double periodNs)
{
    if (validBits == 0) return std::nullopt;
    const std::uint64_t mask = validBits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << validBits) - 1;
    const std::uint64_t ticks = (end - begin) & mask;
    if (ticks == 0) return std::nullopt;
    return static_cast<double>(ticks) * periodNs / 1e6;
}

}  // namespace a2
