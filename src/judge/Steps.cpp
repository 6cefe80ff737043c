#include "judge/Steps.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "lint/Hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::uint64_t roundUp(std::uint64_t value, std::uint64_t unit) { return ceilDiv(value, unit) * unit; }

// How many elements of each buffer are news to whoever reads it: written since (and by) the last dispatch that read it.
// An invocation of use reads at least one of those or writes one element itself.
class UsefulWork {
public:
    void add(vk::Buffer buffer, std::uint64_t elements) { fresh_[buffer] = elements; }

    // fixedGrid: whether the dispatch starts as many work-groups for longer arrays, too.
    std::optional<Finding> look(const Step& step, const std::function<bool(const DispatchCommand&)>& fixedGrid)
    {
        const DispatchCommand& dispatch = step.dispatch;
        std::uint64_t stored = 0, news = 0;
        for (const WrittenBuffer& one : step.written) stored += one.stored;
        for (const BoundBuffer& one : dispatch.buffers)
            if (one.reads && !one.uniform) news += std::exchange(fresh_[one.buffer], 0);
        for (const WrittenBuffer& one : step.written) fresh_[one.handle] += one.stored;
        if (!dispatch.facts) return {};

        const std::uint64_t started = dispatch.invocations(), needed = std::max<std::uint64_t>({1, stored, news});
        const std::uint64_t group = started / std::max<std::uint64_t>(1, dispatch.groupCount());
        if (started == 0 || started <= std::max(2 * needed, roundUp(needed, group))) return {};
        Finding found{"wasted-invocations",
                      fmt::format("dispatch {} '{}' starts {} invocations, but only {} elements are new to it and it "
                                  "writes {}",
                                  dispatch.index, dispatch.label, started, news, stored),
                      dispatch.index, Severity::note, dispatch.kernel};
        if (stored == 0) {
            found.message += ": without it the result would be the same";
        } else if (fixedGrid(dispatch)) {
            found.message += ", with as many work-groups as for a longer array";
        } else {
            found.severity = Severity::failure;
            found.message += ": start no more than have something to do";
        }
        return found;
    }

private:
    std::map<vk::Buffer, std::uint64_t> fresh_;
};

std::string transferText(const TransferCommand& transfer)
{
    return transfer.from ? fmt::format("{} '{}' to '{}'", transfer.call, transfer.fromName, transfer.toName)
                         : fmt::format("{} '{}'", transfer.call, transfer.toName);
}

// Barriers and transfers between a dispatch and the one before it.
void describeBefore(const CommandLog& log, Step& step)
{
    for (const Command& command : log.commands()) {
        if (const auto* dispatch = std::get_if<DispatchCommand>(&command)) {
            if (dispatch->index == step.dispatch.index) return;
            step.before.clear();
            step.barriers.clear();
        } else if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
            step.before.push_back(transferText(*transfer));
        } else {
            const auto& dependencies = std::get<BarrierCommand>(command).dependencies;
            for (const Dependency& one : dependencies) {
                // The one about execution alone says nothing that the others do not.
                if (!one.srcAccess && !one.dstAccess && dependencies.size() > 1) continue;
                step.barriers.push_back(dependencyText(one));
            }
        }
    }
}

// What every buffer holds before the first dispatch.
Contents initialContents(Device& gpu, const Trial& trial, const Expectation& expectation, const DeviceInput& input,
                         std::uint32_t poison)
{
    Contents contents;
    for (const LiveBuffer& live : trial.buffers()) {
        if (live.lifetime == Lifetime::solution)
            contents[live.handle] = payloadOf(gpu, live);
        else
            contents[live.handle].assign(live.elements(), poison);
    }
    std::vector<NamedValues> given = givenValues(expectation);
    contents[input.input().handle()] = std::move(given[0].values);
    if (input.blockOffsets()) contents[input.blockOffsets()->handle()] = std::move(given[1].values);
    return contents;
}

std::uint64_t changedElements(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& after)
{
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i) changed += before[i] != after[i];
    return changed;
}

// Whether a dispatch writes the buffer and never looks at what was there.
bool onlyWrites(const DispatchCommand& dispatch, vk::Buffer buffer)
{
    return dispatch.writes(buffer) &&
           std::none_of(dispatch.buffers.begin(), dispatch.buffers.end(),
                        [&](const BoundBuffer& one) { return one.buffer == buffer && one.reads; });
}

// Whether an array is gone through in slices: some dispatch binds a buffer from a later element on.
bool runsInSlices(const Trial& trial)
{
    for (const DispatchCommand* dispatch : trial.log().dispatches())
        for (const BoundBuffer& one : dispatch->buffers)
            for (const LiveBuffer& live : trial.buffers())
                if (live.handle == one.buffer && one.offset > live.guardBytes) return true;
    return false;
}

// Every dispatch is right, or was not looked at, and the result is wrong.
std::string remarkOn(const StepJudge& judge, const StepsOutcome& outcome, const DeviceBuffer& result, bool stale)
{
    const std::string left = judge.unfinished();
    if (!left.empty()) return "a dispatch is missing: after the last one, " + left;
    if (judge.resultBuffer() && judge.resultBuffer() != result.handle())
        return "the result is in another buffer than the one that result() returns";
    const bool allRight = std::all_of(outcome.steps.begin(), outcome.steps.end(),
                                      [](const Step& one) { return one.judgement.verdict == StepVerdict::ok; });
    if (!allRight || outcome.steps.empty() || stale) return {};
    return "every dispatch does right when it runs alone, and the run as recorded is wrong: look at the barriers";
}

// Goes along with a replay.
class Walker {
public:
    Walker(Device& gpu, const Trial& trial, const Task& task, const Expectation& expectation,
           const StepsSettings& settings, StepJudge judge, Contents given, std::uint32_t poison)
        : gpu_(gpu),
          trial_(trial),
          task_(task),
          expectation_(expectation),
          settings_(settings),
          judge_(std::move(judge)),
          before_(std::move(given)),
          after_(before_),
          poison_(poison)
    {
    }

    void isNew(const DeviceBuffer& buffer) { useful_.add(buffer.handle(), buffer.elements()); }

    // A write that leaves an element as it was shows, too, where nobody reads what was there: it is another word then.
    void recordUnwritten(vk::CommandBuffer cb, const Command& command) const
    {
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        if (!dispatch || !counts()) return;
        for (const LiveBuffer& live : trial_.buffers())
            if (onlyWrites(*dispatch, live.handle))
                cb.fillBuffer(live.handle, live.guardBytes, live.payloadBytes, unwritten);
    }

    void onTransfer(const TransferCommand& transfer, const std::vector<Finding>& findings)
    {
        for (const LiveBuffer& live : trial_.buffers()) {
            if (live.handle != transfer.to) continue;
            before_[live.handle] = after_[live.handle] = payloadOf(gpu_, live);
            useful_.add(live.handle, before_[live.handle].size());
        }
        outcome_.findings.insert(outcome_.findings.end(), findings.begin(), findings.end());
    }

    void onDispatch(const DispatchCommand& dispatch, const RunTime& time, const std::vector<Finding>& findings,
                    const std::function<void(const StepView&)>& show)
    {
        Step step;
        step.dispatch = dispatch;
        step.timer = settings_.timer;
        if (!gpu_.isEmulated()) {
            step.ms = time.by(settings_.timer);
            if (time.lacks(settings_.timer)) step.timer = Timer::host;
        }
        step.findings = findings;
        describeBefore(trial_.log(), step);
        for (const LiveBuffer& live : trial_.buffers()) {
            if (!dispatch.writes(live.handle)) continue;
            std::vector<std::uint32_t>& after = after_[live.handle] = payloadOf(gpu_, live);
            WrittenBuffer written{live.handle, live.name, 0, 0, live.lifetime == Lifetime::solution};
            if (counts() && onlyWrites(dispatch, live.handle)) written.stored = restoreUnwritten(live, after);
            written.changed = changedElements(before_[live.handle], after);
            written.stored = std::max(written.stored, written.changed);
            step.written.push_back(std::move(written));
        }
        // The model of a step is one of a dispatch for the whole array; of slices only the result counts.
        const bool sliced = runsInSlices(trial_);
        if (!sliced) step.judgement = judge_.judge(dispatch, before_, after_);
        if (auto& wrong = step.judgement.firstWrong) wrong->neverWritten = wrong->got == poison_;
        // Behind a wrong step nobody knows what would have been new.
        if (settings_.countInvocations && !sliced && step.judgement.verdict != StepVerdict::wrong &&
            !outcome_.firstWrong())
            if (auto finding = useful_.look(step, [&](const DispatchCommand& one) { return isFixedGrid(one); }))
                step.findings.push_back(std::move(*finding));
        if (show) show({step, before_, after_, poison_});
        for (const WrittenBuffer& one : step.written) before_[one.handle] = after_[one.handle];
        outcome_.findings.insert(outcome_.findings.end(), step.findings.begin(), step.findings.end());
        step.judgement.expected.clear();
        outcome_.steps.push_back(std::move(step));
    }

    StepsOutcome finish()
    {
        const bool ran = trial_.log().findings().empty();  // no call was beyond a limit
        if (const Step* wrong = outcome_.firstWrong(); wrong && settings_.resultRight)
            outcome_.findings.push_back({"",
                                         fmt::format("the tiles are scanned right, and their sums are wrong, which the "
                                                     "scan of a longer array needs: dispatch {} '{}'",
                                                     wrong->dispatch.index, wrong->dispatch.label),
                                         wrong->dispatch.index});
        if (ran && !settings_.resultRight && !outcome_.firstWrong() && !runsInSlices(trial_))
            outcome_.remark = remarkOn(judge_, outcome_, trial_.result(), settings_.stale);
        return std::move(outcome_);
    }

private:
    static constexpr std::uint32_t unwritten = 0x6B8F39D5;

    bool counts() const { return settings_.countInvocations && !runsInSlices(trial_); }

    // Puts back what recordUnwritten wrote over and the dispatch did not; how many elements it did write.
    std::uint64_t restoreUnwritten(const LiveBuffer& live, std::vector<std::uint32_t>& after) const
    {
        const std::vector<std::uint32_t>& before = before_.at(live.handle);
        std::uint64_t stored = 0;
        for (std::size_t i = 0; i < after.size(); ++i) {
            stored += after[i] != unwritten;
            if (after[i] == unwritten) after[i] = before[i];
        }
        if (stored < after.size())
            upload(gpu_, {live.handle, live.guardBytes, after.size()},
                   [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
                       std::copy_n(after.begin() + static_cast<std::ptrdiff_t>(first), chunk.size(), chunk.begin());
                   });
        return stored;
    }

    // A kernel that loops over the array may be started with the same work-groups for each length.
    bool isFixedGrid(const DispatchCommand& dispatch)
    {
        if (!longer_) {
            longer_.emplace();
            const KernelShape& shape = expectation_.shape();
            try {
                const Recording recording =
                    recordingOf(gpu_, task_, shape, 2 * (expectation_.input().size() + shape.tile()));
                for (const RecordedCommand& command : recording.runs.front().commands)
                    if (const auto* one = std::get_if<RecordedDispatch>(&command)) longer_->push_back(one->groups);
            } catch (const Error&) {  // nobody knows, then
            }
        }
        return dispatch.index < longer_->size() && (*longer_)[dispatch.index] == dispatch.groups;
    }

    Device& gpu_;
    const Trial& trial_;
    const Task& task_;
    const Expectation& expectation_;
    const StepsSettings& settings_;
    StepJudge judge_;
    UsefulWork useful_;
    Contents before_, after_;
    std::optional<std::vector<std::array<std::uint32_t, 3>>>
        longer_;  // work-groups of each dispatch for a longer array
    std::uint32_t poison_;
    StepsOutcome outcome_;
};

}  // namespace

std::vector<NamedValues> givenValues(const Expectation& expectation)
{
    std::vector<NamedValues> given = {{"input", std::vector<std::uint32_t>(expectation.input().size())}};
    expectation.give(0, given[0].values);
    if (const std::uint64_t offsets = expectation.offsetCount()) {
        given.push_back({"block offsets", std::vector<std::uint32_t>(offsets)});
        for (std::uint64_t i = 0; i < offsets; ++i) given[1].values[i] = expectation.givenOffset(i);
    }
    return given;
}

std::string wrongElementText(const WrongElement& wrong, std::uint64_t count)
{
    const std::string is = wrong.neverWritten ? "was never written" : fmt::format("is {}", wrong.got);
    return fmt::format("element {} of buffer '{}' should be {}, {} ({} wrong in all)", wrong.index, wrong.buffer,
                       wrong.expected, is, count);
}

std::string wrongText(const WrongStep& step)
{
    return fmt::format("dispatch {} '{}': {}", step.dispatch, step.label, wrongElementText(step.first, step.count));
}

std::optional<WrongStep> StepsOutcome::wrongStep() const
{
    const Step* wrong = firstWrong();
    if (!wrong) return std::nullopt;
    return WrongStep{wrong->dispatch.index, wrong->dispatch.label, *wrong->judgement.firstWrong,
                     wrong->judgement.wrongCount};
}

const Step* StepsOutcome::firstWrong() const
{
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [](const Step& one) { return one.judgement.verdict == StepVerdict::wrong; });
    return found == steps.end() ? nullptr : &*found;
}

StepsOutcome walkSteps(Device& gpu, Trial& trial, const Task& task, const Expectation& expectation,
                       const DeviceInput& input, const StepsSettings& settings,
                       const std::function<void(const StepView&)>& show)
{
    const DeviceBuffer* offsets = input.blockOffsets();
    const std::uint32_t poison = PoisonWords().next();
    Walker walker(gpu, trial, task, expectation, settings,
                  StepJudge(task, expectation.shape(), expectation.input().size(), input.input().handle(),
                            offsets ? offsets->handle() : vk::Buffer(), settings.resultRight),
                  initialContents(gpu, trial, expectation, input, poison), poison);
    walker.isNew(input.input());
    if (offsets) walker.isNew(*offsets);
    trial.replay(
        poison, settings.timer,
        [&](vk::CommandBuffer cb, const Command& command) { walker.recordUnwritten(cb, command); },
        [&](const Trial::Step& replayed) {
            if (const auto* transfer = std::get_if<TransferCommand>(&replayed.command))
                walker.onTransfer(*transfer, replayed.findings);
            else
                walker.onDispatch(std::get<DispatchCommand>(replayed.command), replayed.time, replayed.findings, show);
        });
    return walker.finish();
}

}  // namespace a2
