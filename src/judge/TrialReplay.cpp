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

// A result that is read from memory of an earlier run is right as long as the input stays the same. So each recorded
// run is made on zeros after one on the input.
void Trial::checkKeptState(Verdict& verdict)
{
    const std::vector<LiveBuffer> mine = memory_.buffers();
    const auto kept = std::find_if(mine.begin(), mine.end(),
                                   [](const LiveBuffer& live) { return live.lifetime == Lifetime::solution; });
    if (kept == mine.end()) return;
    static_assert(StudentSolution::runsRecorded % 2 == 1);  // so that every second run is another one each time
    for (unsigned run = 0; run < 2 * StudentSolution::runsRecorded && verdict.passed(); ++run) {
        std::string wrong;
        if (run % 2 == 1) {
            verdict = judgedRun();
            if (verdict.mismatches)
                wrong = fmt::format("but after zeros element {} is wrong", verdict.mismatches->firstIndex);
        } else if (const auto first = firstWrongOfZeros()) {
            wrong = fmt::format("but of zeros element {} of the result is not {}", first->index,
                                expectation_.element().text(first->expected));
        }
        if (wrong.empty()) continue;
        verdict.findings.push_back({"stale-state",
                                    fmt::format("right for the same input again, {}: it is not made from this run's "
                                                "input alone; keep nothing of an input in buffer '{}'",
                                                wrong, kept->name),
                                    {}});
    }
    memory_.takeMessages(verdict.findings);
}

// For the next run's result, on an input of zeros. Zeros add up to zeros; if there is a reference, it gives the result
// for them.
std::optional<Trial::WrongOfZeros> Trial::firstWrongOfZeros()
{
    const auto reference = expectation_.taskClass().reference;
    const std::vector<std::uint32_t> expected =
        reference ? reference(std::vector<std::uint32_t>(expectation_.input().size())) : std::vector<std::uint32_t>();
    inputThere_ = false;
    memory_.draw();
    timedRun_.run(
        Timer::host,
        [&](Commands& cb) {
            memory_.recordPoison(cb);
            for (const LiveBuffer& live : memory_.buffers())
                if (input_.holds(live.memory)) cb.fill(*live.memory, live.guardBytes, live.payloadBytes, 0);
        },
        [&](Commands& cb) { solutions_.front()->record(cb); });
    const DeviceBuffer& result = this->result();
    std::optional<WrongOfZeros> first;
    download(gpu_, result, std::min(expectation_.resultSize(), result.elements()),
             [&](std::uint64_t start, std::span<const std::uint32_t> chunk) {
                 for (std::size_t i = 0; i < chunk.size() && !first; ++i)
                     if (const std::uint32_t number = reference ? expected.at(start + i) : 0;
                         expectation_.element().number(chunk[i]) != number)
                         first = {start + i, number};
             });
    return first;
}

}  // namespace a2
