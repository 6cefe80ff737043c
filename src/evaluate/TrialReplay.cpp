// Trial: runs that are looked at in another way than a judged one.

#include "evaluate/Trial.h"
#include "gpu/GpuState.h"
#include "observe/Observing.h"
#include "observe/Replay.h"

namespace a2 {

void Trial::replay(std::uint32_t poisonWord, Timer timer, const std::function<void(const Step&)>& look)
{
    // Recorded once, to know the commands; this command buffer is never submitted.
    const vk::raii::CommandBuffer cb = gpu_.state().makeCommandBuffer("recorded to be looked at");
    (*cb).begin(vk::CommandBufferBeginInfo(vk::CommandBufferUsageFlagBits::eOneTimeSubmit));
    log_.beginRecording();
    {
        const Observing observing(log_);
        solutions_.front()->record(*cb);
    }
    (*cb).end();
    if (!log_.findings().empty()) return;  // a call beyond a limit: nothing of this may run

    timedRun_.run(
        timer,
        [&](vk::CommandBuffer setup) {
            recordPoison(setup, poisonWord);
            input_.recordRestore(setup);
        },
        [](vk::CommandBuffer) {});
    const std::vector<Region> guards = guardRegions();
    for (const Command& command : log_.commands()) {
        if (std::holds_alternative<BarrierCommand>(command)) continue;
        const RunTime time = timedRun_.run(
            timer, {}, [&](vk::CommandBuffer one) { recordAgain(command, one); },
            [&](vk::CommandBuffer after) { recordGather(gpu_, after, guards); });
        Step step{command, time.gpuMs && timer == Timer::gpu ? *time.gpuMs : time.hostMs, {}};
        checkGuards(gathered(gpu_, guards.size() * wordsPerGuard), step.findings);
        takeMessages(step.findings);
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            for (Finding& finding : step.findings) finding.dispatch = dispatch->index;
        look(step);
    }
}

}  // namespace a2
