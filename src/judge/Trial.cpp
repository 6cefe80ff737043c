#include "judge/Trial.h"

#include "a2/Error.h"
#include "base/Clock.h"
#include "gpu/Device.h"
#include "gpu/NotFollowed.h"
#include "judge/Batch.h"
#include "judge/InputKept.h"
#include "judge/RunsInARow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2 {

Trial::Trial(Device& gpu, const Task& task, const Expectation& expectation, const DeviceInput& input, unsigned inFlight)
    : gpu_(gpu),
      task_(task),
      expectation_(expectation),
      input_(input),
      keepsInput_(task.keepsInput),
      memory_(gpu, [&input](const DeviceMemory* memory) { return input.holds(memory); }),
      timedRun_(gpu),
      results_(gpu, expectation, solutions_, memory_)
{
    const auto start = Clock::now();
    const vk::DeviceSize bytesBefore = gpu.usedOfDeviceHeap();
    const auto prepare = [&] {
        return std::make_unique<StudentSolution>(gpu, task, expectation.shape(), input.input(), input.blockOffsets(),
                                                 expectation.input().size());
    };
    solutions_.push_back(prepare());
    prepareMs_ = msSince(start);
    lint_.emplace(gpu_, task_, expectation_, *solutions_.front());
    if (keepsInput_) prepareFurther(prepare, inFlight, gpu.usedOfDeviceHeap() - bytesBefore);
}

// As many as fit into memory.
void Trial::prepareFurther(const Prepare& prepare, unsigned inFlight, vk::DeviceSize bytesOfOne)
{
    const vk::DeviceSize usable = gpu_.usableHeap();
    try {
        while (solutions_.size() < inFlight && gpu_.usedOfDeviceHeap() + bytesOfOne <= usable)
            solutions_.push_back(prepare());
    } catch (const LimitError&) {  // another program holds memory of this device: a2 was refused as well
    }
}

Verdict Trial::judgedRun(Timer timer, RunTime* runTime, unsigned batch)
{
    Verdict verdict;
    const EmulatedLook* onHost = nullptr;
    if (!runTime) {
        solutions_.front()->next();
        onHost = lint_->walked();
        const bool lacks = onHost && gpu_.isEmulated() && !onHost->lacking().empty();
        if (lacks && onHost->mayRun()) throw NotFollowedError(onHost->lacking() + "; only a device can judge it");
        if (onHost && !onHost->mayRun()) {
            verdict.mismatches = onHost->mismatches();
            results_.setWatched(onHost->result(results_.watchedIndex()));
            lint_->lint(onHost, verdict);
            return verdict;
        }
        if (const SampledWalk* some = onHost ? nullptr : lint_->sampled(); some && some->endangers) {
            results_.setWatched(0);
            lint_->lint(nullptr, verdict);
            return verdict;
        }
    }
    gpu_.enter(runTime ? "timing" : "judging");
    changes_ = {};
    RunResults::Gathered results;
    const WatchedMemory::Looked looked = memory_.run(
        timedRun_, timer,
        [&](Commands& cb) {
            input_.recordRestore(cb);
            inputThere_ = keepsInput_;
        },
        [&](Commands& cb) {
            if (runTime) return recordInTurns(cb, solutions_, batch);
            solutions_.front()->recordCurrent(cb);
        },
        [&](std::vector<Region>& regions) {
            results = results_.gather(runTime ? std::min(batch, inFlight()) : 1, regions);
        },
        verdict.findings);
    if (runTime) *runTime = looked.time.perRun(batch);
    results_.judge(results, verdict);
    if (verdict.mismatches) findUnwritten(verdict);
    checkResultNotKept(verdict);
    if (!runTime) {
        lint_->lint(onHost, verdict);
        if (!onHost || !onHost->complete())
            checkInputKept(gpu_, expectation_, input_, solution(), keepsInput_, verdict);
    }
    memory_.takeMessages(verdict.findings);
    // A result that was not computed to its end says less than the reason why it was not.
    if (!solution().runnable() && firstThatFails(verdict.findings)) verdict.mismatches.reset();
    return verdict;
}

void Trial::findUnwritten(Verdict& verdict) const
{
    const bool ran = log().runnable() >= log().commands().size();  // otherwise the lint says why not
    if (!ran || verdict.mismatches->got != expectation_.element().number(memory_.poison())) return;
    verdict.findings.push_back({"unwritten-output",
                                fmt::format("element {} of the result was never written: it holds the poison that "
                                            "the buffer was filled with before the run",
                                            verdict.mismatches->firstIndex),
                                {}});
}

// What is kept from run to run is not overwritten before a run: the result of an earlier run would be taken for its
// own.
void Trial::checkResultNotKept(Verdict& verdict) const
{
    const RecordedBuffer& result = solution().recording().buffers[solution().run().result];
    if (isKept(result))
        verdict.findings.push_back(
            {"stale-state",
             fmt::format("buffer '{}' has the result, and is kept from run to run: what an earlier run left there "
                         "would pass; make it without Lifetime::solution",
                         result.name),
             {}});
}

Verdict Trial::judgeThreeRuns()
{
    RunsInARow runs(gpu_, expectation_, input_, *solutions_.front(), *lint_, memory_, timedRun_);
    const Verdict verdict = runs.judge([this] { return judgedRun(); });
    if (runs.leftZeros()) inputThere_ = false;
    return verdict;
}

// An input that is kept needs no restoring. This matters for more than time: the copy leaves the device's cache full of
// data that is still to be written to memory, and its kernel cores idle; on an NVIDIA H200 sums read 5 % slower after
// one.
RunTime Trial::timedRun(Timer timer, unsigned batch)
{
    gpu_.enter("timing");
    const bool restores = !std::exchange(inputThere_, keepsInput_);
    return timedRun_
        .run(
            timer,
            [&](Commands& cb) {
                if (restores) input_.recordRestore(cb);
            },
            [&](Commands& cb) { recordInTurns(cb, solutions_, batch); })
        .perRun(batch);
}

}  // namespace a2
