// Trial: runs that are looked at in another way than a judged one.

#include "evaluate/Trial.h"
#include "gpu/GpuState.h"
#include "observe/Observing.h"
#include "observe/Replay.h"

#include <fmt/format.h>

#include <algorithm>

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
        Step step{command, time, {}};
        checkGuards(gathered(gpu_, guards.size() * wordsPerGuard), step.findings);
        takeMessages(step.findings);
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            for (Finding& finding : step.findings) finding.dispatch = dispatch->index;
        look(step);
    }
}

// A result that is taken from memory kept from an earlier run is right as long as the input is the same. Zeros add up
// to zeros, whatever the task.
void Trial::checkKeptState(Verdict& verdict)
{
    const std::vector<LiveBuffer> mine = buffers();
    const auto kept = std::find_if(mine.begin(), mine.end(),
                                   [](const LiveBuffer& live) { return live.lifetime == Lifetime::solution; });
    if (kept == mine.end()) return;
    inputThere_ = false;
    timedRun_.run(
        Timer::host,
        [&](vk::CommandBuffer cb) {
            recordPoison(cb, poison(runsInARow));
            for (const LiveBuffer& live : mine)
                if (input_.holds(live.handle)) cb.fillBuffer(live.handle, live.guardBytes, live.payloadBytes, 0);
        },
        [&](vk::CommandBuffer cb) { solutions_.front()->record(cb); });

    const Buffer& result = this->result();
    std::optional<std::uint64_t> first;
    download(gpu_, result, std::min(expectation_.resultSize(), result.elements()),
             [&](std::uint64_t start, std::span<const std::uint32_t> chunk) {
                 const auto found = std::find_if(chunk.begin(), chunk.end(), [](std::uint32_t word) { return word; });
                 if (!first && found != chunk.end()) first = start + static_cast<std::uint64_t>(found - chunk.begin());
             });
    if (first)
        verdict.findings.push_back(
            {"stale-state",
             fmt::format("right for the same input again, but of zeros element {} of the result is not 0: it is not "
                         "made from this run's input alone; keep nothing of an input in buffer '{}'",
                         *first, kept->name),
             {}});
    takeMessages(verdict.findings);
}

}  // namespace a2
