// Trial: runs with other checks than a judged one.

#include "gpu/Device.h"
#include "judge/Trial.h"

#include <fmt/format.h>

#include <utility>

namespace a2 {

namespace {

// All elements of these buffers, which lie one after the other in the staging buffer from word `at`.
void takeGathered(Device& gpu, std::uint64_t at, const std::vector<Region>& regions,
                  std::map<Index, std::vector<std::uint32_t>>& left)
{
    auto region = regions.begin();
    for (auto& [buffer, words] : left) {
        const auto gatheredWords = gathered(gpu, at + region->words).subspan(at);
        words.assign(gatheredWords.begin(), gatheredWords.end());
        at += region++->words;
    }
}

}  // namespace

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
    bool isReady = false;
    for (std::size_t i = 0; i < log().commands().size(); ++i) {
        const Command& command = log().commands()[i];
        if (std::holds_alternative<BarrierCommand>(command)) continue;
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        if (dispatch) gpu_.enter(fmt::format("replaying dispatch {}", dispatch->index));
        Step step = stepOf(command);
        std::vector<Region> guards = memory_.guardRegions(), written;
        const std::uint64_t guardWords = guards.size() * WatchedMemory::wordsPerGuard;
        std::uint64_t words = guardWords;
        for (const auto& [buffer, nothing] : step.left) {
            written.push_back(solution.replay().buffer(buffer).region());
            words += written.back().words;
        }
        const bool fits = words <= stagingWords;  // then one submit is enough
        step.time = timedRun_.run(
            timer,
            [&](Commands& setup) {
                if (std::exchange(isReady, true)) return;
                memory_.recordPoison(setup);
                input_.recordRestore(setup);
            },
            [&](Commands& one) { solution.replay().recordAlone(one, solution.run().commands[i]); },
            [&](Commands& after) {
                if (fits) guards.insert(guards.end(), written.begin(), written.end());
                recordGather(gpu_, after, guards);
            });
        memory_.checkGuards(gathered(gpu_, guardWords), step.findings);
        if (fits)
            takeGathered(gpu_, guardWords, written, step.left);
        else
            for (auto& [buffer, content] : step.left) content = contents(buffer);
        memory_.takeMessages(step.findings);
        if (dispatch)
            for (Finding& finding : step.findings) finding.dispatch = dispatch->index;
        look(step);
    }
}

Trial::Step Trial::stepOf(const Command& command) const
{
    Step step{command, {}, {}, {}};
    if (const auto* transfer = std::get_if<TransferCommand>(&command)) step.left[transfer->to];
    if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
        for (const BoundBuffer& one : dispatch->buffers)
            if (one.writes) step.left[one.buffer];
    return step;
}

std::vector<std::uint32_t> Trial::contents(Index buffer) const
{
    return payloadOf(gpu_, solution().replay().buffer(buffer));
}

void Trial::replayOnHost(EmulatedLook& onHost, std::uint32_t poisonWord, const std::function<void(const Step&)>& look)
{
    onHost.replay(poisonWord, [&](std::uint64_t command, const EmulatedRun& buffers) {
        Step step = stepOf(log().commands()[command]);
        for (auto& [buffer, content] : step.left) {
            const auto words = buffers.buffer(buffer).words();
            content.assign(words.begin(), words.end());
        }
        look(step);
    });
}

}  // namespace a2
