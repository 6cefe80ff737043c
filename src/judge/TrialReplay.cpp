// Trial: runs with other checks than a judged one.

#include "gpu/Device.h"
#include "judge/Trial.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

void Trial::replay(std::uint32_t poisonWord, Timer timer, const std::function<void(const Step&)>& look)
{
    StudentSolution& solution = *solutions_.front();
    solution.next();
    if (!solution.runnable()) return;  // a call exceeded a limit: nothing of this may run
    if (EmulatedLook* onHost = lint_->walked(); onHost && !onHost->mayRun())
        return replayOnHost(*onHost, poisonWord, look);

    if (const SampledWalk* some = lint_->sampled(); some && some->endangers) return;

    memory_.draw();
    memory_.poisonWith(poisonWord);
    timedRun_.run(
        timer,
        [&](Commands& setup) {
            memory_.recordPoison(setup);
            input_.recordRestore(setup);
        },
        [](Commands&) {});
    const std::vector<Region> guards = memory_.guardRegions();
    for (std::size_t i = 0; i < log().commands().size(); ++i) {
        const Command& command = log().commands()[i];
        if (std::holds_alternative<BarrierCommand>(command)) continue;
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            gpu_.enter(fmt::format("replaying dispatch {}", dispatch->index));
        const RunTime time = timedRun_.run(
            timer, [](Commands&) {},
            [&](Commands& one) { solution.replay().recordAlone(one, solution.run().commands[i]); },
            [&](Commands& after) { recordGather(gpu_, after, guards); });
        Step step{command, time, {}};
        memory_.checkGuards(gathered(gpu_, guards.size() * WatchedMemory::wordsPerGuard), step.findings);
        memory_.takeMessages(step.findings);
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            for (Finding& finding : step.findings) finding.dispatch = dispatch->index;
        look(step);
    }
}

std::vector<std::uint32_t> Trial::contents(Index buffer) const
{
    return payloadOf(gpu_, solution().replay().buffer(buffer));
}

void Trial::replayOnHost(EmulatedLook& onHost, std::uint32_t poisonWord, const std::function<void(const Step&)>& look)
{
    const StudentSolution& solution = *solutions_.front();
    onHost.replay(poisonWord, [&](std::uint64_t command, const EmulatedRun& buffers) {
        for (Index i = 0; i < solution.recording().buffers.size(); ++i) {
            const DeviceBuffer* buffer = solution.replay().usedBuffer(i);
            if (!buffer) continue;
            const auto words = buffers.buffer(i).words();
            upload(gpu_, *buffer, buffer->elements(), [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
                std::copy_n(words.begin() + static_cast<std::ptrdiff_t>(first), chunk.size(), chunk.begin());
            });
        }
        look({log().commands()[command], {}, {}});
    });
}

}  // namespace a2
