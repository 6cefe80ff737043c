// Trial: runs that are looked at in another way than a judged one.

#include "gpu/Device.h"
#include "judge/StepModel.h"
#include "judge/Trial.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// From the first to the last word that differs, in bytes of the buffer.
WrittenPart changedPart(const LiveBuffer& live, const std::vector<std::uint32_t>& before,
                        const std::vector<std::uint32_t>& after)
{
    const auto first = std::mismatch(before.begin(), before.end(), after.begin()).first - before.begin();
    const auto same = std::mismatch(before.rbegin(), before.rend(), after.rbegin()).first - before.rbegin();
    if (first == static_cast<std::ptrdiff_t>(before.size())) return {};
    const auto bytes = [](auto words) { return static_cast<vk::DeviceSize>(words) * sizeof(std::uint32_t); };
    return {live.guardBytes + bytes(first), live.guardBytes + live.payloadBytes - bytes(same), true};
}

}  // namespace

void Trial::replay(std::uint32_t poisonWord, Timer timer, const Before& before,
                   const std::function<void(const Step&)>& look)
{
    solutions_.front()->next();
    replayRun(poisonWord, timer, before, look);
}

// The same of the run that was recorded last.
void Trial::replayRun(std::uint32_t poisonWord, Timer timer, const Before& before,
                      const std::function<void(const Step&)>& look)
{
    StudentSolution& solution = *solutions_.front();
    if (!solution.runnable()) return;  // a call beyond a limit: nothing of this may run

    memory_.draw();
    memory_.poisonWith(poisonWord);
    timedRun_.run(
        timer,
        [&](vk::CommandBuffer setup) {
            memory_.recordPoison(setup);
            input_.recordRestore(setup);
        },
        [](vk::CommandBuffer) {});
    const std::vector<Region> guards = memory_.guardRegions();
    for (std::size_t i = 0; i < log().commands().size(); ++i) {
        const Command& command = log().commands()[i];
        if (std::holds_alternative<BarrierCommand>(command)) continue;
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            gpu_.enter(fmt::format("replaying dispatch {}", dispatch->index));
        const RunTime time = timedRun_.run(
            timer, [&](vk::CommandBuffer setup) { before(setup, command); },
            [&](vk::CommandBuffer one) { solution.replay().recordAlone(one, solution.run().commands[i]); },
            [&](vk::CommandBuffer after) { recordGather(gpu_, after, guards); });
        Step step{command, time, {}};
        memory_.checkGuards(gathered(gpu_, guards.size() * WatchedMemory::wordsPerGuard), step.findings);
        memory_.takeMessages(step.findings);
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command))
            for (Finding& finding : step.findings) finding.dispatch = dispatch->index;
        look(step);
    }
}

// What the dispatches of the last run change in the buffers that they may write, seen by running them one by one. That
// takes all these buffers to the host after each: where it is too much, a barrier for a part counts as enough: the
// shorter lengths show whether it is.
WrittenParts Trial::writtenParts()
{
    constexpr std::uint64_t mostWords = std::uint64_t{1} << 24;
    const std::vector<LiveBuffer> mine = buffers();
    const auto eachWritten = [&](const DispatchCommand& dispatch, const auto& body) {
        for (const LiveBuffer& live : mine)
            if (dispatch.writes(live.handle)) body(live);
    };
    WrittenParts parts;
    std::uint64_t words = 0;
    for (const DispatchCommand* dispatch : log().dispatches())
        eachWritten(*dispatch, [&](const LiveBuffer& live) {
            words += live.elements();
            parts[{dispatch->index, live.handle}].seen = false;
        });
    if (words > mostWords) return parts;

    Contents contents;  // of the buffers that dispatches write, where it is known
    for (const auto& [key, part] : parts) contents[key.second];
    for (const LiveBuffer& live : mine) {
        const auto known = contents.find(live.handle);
        if (known == contents.end()) continue;
        known->second.assign(live.elements(), memory_.poison());
        if (live.handle == input_.input().handle())
            expectation_.give(0, known->second);
        else if (memory_.isGiven(live.handle) || live.lifetime != Lifetime::run)
            contents.erase(known);
    }
    const auto nothing = [](vk::CommandBuffer, const Command&) {};
    replayRun(memory_.poison(), Timer::host, nothing, [&](const Step& step) {
        if (const auto* transfer = std::get_if<TransferCommand>(&step.command)) {
            for (const LiveBuffer& live : mine)
                if (live.handle == transfer->to && contents.count(live.handle) > 0)
                    contents[live.handle] = payloadOf(gpu_, live);
            return;
        }
        const auto* dispatch = std::get_if<DispatchCommand>(&step.command);
        if (!dispatch) return;
        eachWritten(*dispatch, [&](const LiveBuffer& live) {
            WrittenPart& part = parts[{dispatch->index, live.handle}];
            part = {live.guardBytes, live.guardBytes + live.payloadBytes, true};
            std::vector<std::uint32_t> after = payloadOf(gpu_, live);
            const auto known = contents.find(live.handle);
            if (known != contents.end()) part = changedPart(live, known->second, after);
            contents[live.handle] = std::move(after);
        });
    });
    return parts;
}

// A result that is taken from memory kept from an earlier run is right as long as the input is the same. Zeros add up
// to zeros, whatever the task. Each recorded run has its turn on zeros after one on the input.
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
        } else if (const auto first = firstNotZero()) {
            wrong = fmt::format("but of zeros element {} of the result is not 0", *first);
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

// Of the next run's result, where the input is zeros.
std::optional<std::uint64_t> Trial::firstNotZero()
{
    inputThere_ = false;
    memory_.draw();
    timedRun_.run(
        Timer::host,
        [&](vk::CommandBuffer cb) {
            memory_.recordPoison(cb);
            for (const LiveBuffer& live : memory_.buffers())
                if (input_.holds(live.handle)) cb.fillBuffer(live.handle, live.guardBytes, live.payloadBytes, 0);
        },
        [&](vk::CommandBuffer cb) { solutions_.front()->record(cb); });
    const DeviceBuffer& result = this->result();
    std::optional<std::uint64_t> first;
    download(gpu_, result, std::min(expectation_.resultSize(), result.elements()),
             [&](std::uint64_t start, std::span<const std::uint32_t> chunk) {
                 const auto found = std::find_if(chunk.begin(), chunk.end(), [](std::uint32_t word) { return word; });
                 if (!first && found != chunk.end()) first = start + static_cast<std::uint64_t>(found - chunk.begin());
             });
    return first;
}

}  // namespace a2
