#include "gpu/TimedRun.h"

#include "base/Clock.h"
#include "gpu/Device.h"

namespace a2 {

namespace {

void recordInto(Commands& into, const Record& commands)
{
    into.begin();
    if (commands) commands(into);
    into.fullBarrier();
    into.end();
}

}  // namespace

TimedRun::TimedRun(Device& gpu)
    : gpu_(gpu),
      setup_(gpu.makeCommands("restore and poison")),
      work_(gpu.makeCommands("timed work", true)),
      after_(gpu.makeCommands("read back"))
{
}

RunTime TimedRun::run(Timer timer, const Record& setup, const Record& work, const Record& after)
{
    Device& state = gpu_;
    recordInto(*setup_, setup);
    recordInto(*work_, [&](Commands& commands) {
        commands.startClock();
        work(commands);
        commands.stopClock();
    });
    if (after) recordInto(*after_, after);

    std::vector<Commands*> together;
    if (timer == Timer::gpu)
        together.push_back(setup_.get());
    else
        state.submitAndWait({setup_.get()});
    together.push_back(work_.get());
    if (timer == Timer::gpu && after) together.push_back(after_.get());

    const auto start = Clock::now();
    state.submitAndWait(together);
    const double elapsedMs = msSince(start);
    state.ranKernels(elapsedMs);
    if (timer == Timer::host && after) state.submitAndWait({after_.get()});
    const auto gpuMs = state.clockMs(*work_);
    return {gpuMs && contradict(*gpuMs, elapsedMs) ? std::nullopt : gpuMs, elapsedMs};
}

bool contradict(double gpuMs, double hostMs)
{
    constexpr double clocksDiffer = 0.05, resolutionMs = 0.1;
    return gpuMs > hostMs * (1 + clocksDiffer) + resolutionMs;
}

}  // namespace a2
