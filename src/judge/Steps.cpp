#include "judge/Steps.h"

#include "a2/Error.h"
#include "gpu/Device.h"
#include "judge/PrintWalk.h"
#include "lint/Hazards.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::string transferText(const TransferCommand& transfer)
{
    return transfer.from ? fmt::format("{} '{}' to '{}'", transfer.call, transfer.fromName, transfer.toName)
                         : fmt::format("{} '{}'", transfer.call, transfer.toName);
}

// Barriers and transfers between a dispatch and the one before it.
void describeBefore(const CommandLog& log, const std::vector<RecordedBuffer>& buffers, Step& step)
{
    const std::vector<Command>& commands = log.commands();
    const auto isThis = [&](const Command& command) {
        const auto* dispatch = std::get_if<DispatchCommand>(&command);
        return dispatch && dispatch->index == step.dispatch.index;
    };
    const auto end = std::find_if(commands.begin(), commands.end(), isThis);
    auto begin = end;
    while (begin != commands.begin() && !std::holds_alternative<DispatchCommand>(*std::prev(begin))) --begin;
    for (const Command& command : std::span(begin, end)) {
        if (const auto* transfer = std::get_if<TransferCommand>(&command)) {
            step.before.push_back(transferText(*transfer));
            continue;
        }
        const auto& dependencies = std::get<BarrierCommand>(command).dependencies;
        for (const Dependency& one : dependencies) {
            // An execution-only dependency adds nothing to the others.
            if (!one.srcAccess && !one.dstAccess && dependencies.size() > 1) continue;
            step.barriers.push_back(dependencyText(one));
            step.barriersAbout.push_back(
                one.buffer && one.size > 0
                    ? fmt::format("'{}', bytes {}-{}", buffers[*one.buffer].name, one.offset, one.offset + one.size - 1)
                    : "");
        }
    }
}

// The contents of every buffer before the first dispatch.
Contents initialContents(const Trial& trial, const Expectation& expectation, std::uint32_t poison)
{
    using Role = RecordedBuffer::Role;
    const Recording& recording = trial.solution().recording();
    const GivenWords given = givenWords(expectation);
    Contents contents;
    for (Index i = 0; i < recording.buffers.size(); ++i) {
        const RecordedBuffer& one = recording.buffers[i];
        if (one.role != Role::made)
            contents[i] = one.role == Role::input ? given.input : given.blockOffsets;
        else if (!trial.holds(i))
            continue;
        else if (isKept(one))
            contents[i] = trial.contents(i);
        else
            contents[i].assign(one.bytes / sizeof(std::uint32_t), poison);
        expectation.element().toNumbers(contents[i]);
    }
    return contents;
}

std::uint64_t changedElements(const std::vector<std::uint32_t>& before, const std::vector<std::uint32_t>& after)
{
    std::uint64_t changed = 0;
    for (std::size_t i = 0; i < after.size(); ++i) changed += before[i] != after[i];
    return changed;
}

// Whether an array is processed in slices: some dispatch binds a buffer from a later element on.
bool runsInSlices(const Trial& trial)
{
    for (const DispatchCommand* dispatch : trial.log().dispatches())
        for (const BoundBuffer& one : dispatch->buffers)
            if (one.offset > 0) return true;
    return false;
}

// What a wrong dispatch has in common with the one before it, where a step usually has its own. Kernels that work in
// place have the same buffers in each step.
std::string repeatsText(const DispatchCommand& before, const DispatchCommand& wrong)
{
    const bool inPlace = std::any_of(wrong.buffers.begin(), wrong.buffers.end(),
                                     [](const BoundBuffer& one) { return one.reads && one.writes; });
    if (wrong.pushesAs(before))
        return fmt::format("it has the push constants of dispatch {}: if it needs its own, push them before it",
                           before.index);
    if (wrong.bindsAs(before) && !inPlace)
        return fmt::format(
            "it has the same buffers bound as dispatch {}: if it needs others, bind their descriptor set before it",
            before.index);
    return {};
}

// Whether a row whose kernels only move elements has left others than it was given.
bool hasOtherElements(const Expectation& expectation, std::span<const std::uint32_t> left)
{
    std::vector<std::uint32_t> found(left.begin(), left.end()), given;
    for (std::uint64_t i = 0; i < found.size(); ++i) given.push_back(expectation.result(i));
    std::sort(found.begin(), found.end());
    std::sort(given.begin(), given.end());
    return found != given;
}

// For a wrong result although every dispatch is right or was not looked at.
std::string remarkOn(const Trial& trial, const Expectation& expectation, const StepJudge& judge,
                     const StepsOutcome& outcome, const Contents& contents, bool caused)
{
    const Recording& recording = trial.solution().recording();
    const Index result = trial.solution().run().result;
    const auto array = contents.find(result);
    const std::uint64_t n = expectation.resultSize();
    if (const auto say = expectation.taskClass().otherwise; say && array != contents.end() && array->second.size() >= n)
        if (std::string said = say(expectation, std::span(array->second).first(n)); !said.empty()) return said;
    const std::string left = judge.unfinished();
    // More steps do not bring back what was lost.
    const bool moves = expectation.taskClass().nearestStep != nullptr && array != contents.end();
    if (moves && array->second.size() >= n && hasOtherElements(expectation, std::span(array->second).first(n)))
        return "after the last dispatch the array has other elements than before: some were lost, or made up";
    if (!left.empty()) return "a dispatch is missing, or one does too little: after the last one, " + left;
    const bool isZero = expectation.resultSize() == 1 && expectation.result(0) == 0;  // as many a word is
    if (const auto right = judge.resultBuffer(); right && *right != result && !isZero)
        return fmt::format("after the last dispatch the right result is in '{}', and result() returns '{}'",
                           recording.buffers[*right].name, recording.buffers[result].name);
    const bool allRight = std::all_of(outcome.steps.begin(), outcome.steps.end(),
                                      [](const Step& one) { return one.judgement.verdict == StepVerdict::ok; });
    if (!allRight || outcome.steps.empty() || caused) return {};
    if (outcome.steps.size() == 1)
        return "the only dispatch does right when it runs again: what comes out depends on the order in which its "
               "work-groups or invocations go on";
    return "every dispatch does right when it runs alone, and the run as recorded is wrong: look at the barriers";
}

// Follows a replay.
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
          poisonWord_(poison),
          poison_(expectation.element().number(poison))
    {
        outcome_.printed = printedBy(gpu, trial.solution(), givenWords(expectation), settings.print, poison);
    }

    void onTransfer(const Trial::Step& replayed)
    {
        for (const auto& [buffer, words] : replayed.left) before_[buffer] = after_[buffer] = numbersOf(words);
        outcome_.findings.insert(outcome_.findings.end(), replayed.findings.begin(), replayed.findings.end());
    }

    void onDispatch(const DispatchCommand& dispatch, const Trial::Step& replayed,
                    const std::function<void(const StepView&)>& show)
    {
        Step step;
        step.element = &expectation_.element();
        step.dispatch = dispatch;
        step.timer = settings_.timer;
        if (!gpu_.isEmulated()) {
            step.ms = replayed.time.by(settings_.timer);
            if (replayed.time.lacks(settings_.timer)) step.timer = Timer::host;
        }
        step.findings = replayed.findings;
        for (const PrintedLine& one : outcome_.printed.lines)
            if (one.dispatch == dispatch.index) step.printed.push_back(one);
        const std::vector<RecordedBuffer>& buffers = trial_.solution().recording().buffers;
        describeBefore(trial_.log(), buffers, step);
        for (const auto& [i, words] : replayed.left) {
            std::vector<std::uint32_t>& after = after_[i] = numbersOf(words);
            step.written.push_back({i, buffers[i].name, changedElements(before_[i], after), isKept(buffers[i])});
        }
        // The model of a step covers a dispatch for the whole array; with slices only the result counts.
        if (!inSlices_) inSlices_ = runsInSlices(trial_);
        step.spoilt = spoilt_;
        if (!*inSlices_ && !spoilt_) step.judgement = judge_.judge(dispatch, before_, after_);
        if (auto& wrong = step.judgement.firstWrong) wrong->neverWritten = wrong->got == poison_;
        keepValues(step);
        keepWrong(step);
        for (const WrongElement& one : step.wrong) spoilt_ = spoilt_ || !step.element->isWhole(one.got);
        if (settings_.watchedGroup) {
            if (!host_)
                host_.emplace(gpu_, trial_, task_, expectation_, *settings_.watchedGroup, poisonWord_,
                              settings_.traces);
            step.phases = host_->of(dispatch, step.judgement, before_, after_);
            if (settings_.traces) step.trace = host_->traceOf(dispatch, step.judgement, before_);
        }
        if (step.judgement.verdict == StepVerdict::wrong && !outcome_.firstWrong()) {
            explainPhases(step);
            if (!outcome_.steps.empty()) outcome_.repeats = repeatsText(outcome_.steps.back().dispatch, dispatch);
        }
        if (show) show({step, before_, after_, poison_});
        for (const WrittenBuffer& one : step.written) before_[one.buffer] = after_[one.buffer];
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
            outcome_.remark = remarkOn(trial_, expectation_, judge_, outcome_, after_, settings_.caused);
        return std::move(outcome_);
    }

private:
    std::vector<std::uint32_t> numbersOf(std::vector<std::uint32_t> words) const
    {
        expectation_.element().toNumbers(words);
        return words;
    }

    void keepWrong(Step& step) const
    {
        if (step.judgement.verdict != StepVerdict::wrong) return;
        for (const ExpectedElements& expected : step.judgement.expected) {
            const auto bound = std::find_if(step.dispatch.buffers.begin(), step.dispatch.buffers.end(),
                                            [&](const BoundBuffer& one) { return one.buffer == expected.buffer; });
            const auto after = after_.find(expected.buffer);
            if (bound == step.dispatch.buffers.end() || after == after_.end()) continue;
            for (std::uint64_t i = 0; i < expected.values.size() && step.wrong.size() < mostValuesKept; ++i) {
                const std::uint64_t at = expected.first + i * expected.stride;
                if (at >= after->second.size() || after->second[at] == expected.values[i]) continue;
                const std::uint32_t got = after->second[at];
                step.wrong.push_back({bound->name, at, expected.values[i], got, got == poison_});
            }
        }
    }

    void keepValues(Step& step) const
    {
        for (const BoundBuffer& one : step.dispatch.buffers) {
            const auto after = after_.find(one.buffer);
            if (after == after_.end() || after->second.size() > mostValuesKept) continue;
            const auto known = [&](const std::vector<std::uint32_t>& words) {
                std::vector<std::optional<std::uint32_t>> values;
                for (const std::uint32_t word : words)
                    values.push_back(word == poison_ ? std::nullopt : std::optional(word));
                return values;
            };
            step.values.push_back({one.buffer, known(before_.at(one.buffer)), known(after->second)});
        }
    }

    // For the first wrong dispatch: the phase in which the work-group with its first wrong element went wrong.
    void explainPhases(const Step& step)
    {
        const DispatchCommand& dispatch = step.dispatch;
        const auto group = HostPhases::wrongGroup(task_, expectation_.shape(), dispatch, step.judgement);
        if (!group) return;
        DispatchPhases found;
        if (step.phases && step.phases->group == *group)
            found = *step.phases;
        else if (expectation_.input().size() <= largestOnHost)
            found = phasesAlone(*group, step);
        const Phase* wrong = found.firstWrong();
        if (!wrong) return;
        outcome_.phase = fmt::format("phase {} of work-group {}", wrong->seen.number, *group);
        outcome_.phaseText = wrongNumberText(wrong->judgement, expectation_.element());
    }

    // The dispatches before it were right, so they need not be judged.
    DispatchPhases phasesAlone(std::uint64_t group, const Step& step)
    {
        HostPhases host(gpu_, trial_, task_, expectation_, group, poisonWord_);
        return host.of(step.dispatch, step.judgement, before_, after_);
    }

    Device& gpu_;
    const Trial& trial_;
    const Task& task_;
    const Expectation& expectation_;
    const StepsSettings& settings_;
    StepJudge judge_;
    Contents before_, after_;
    std::uint32_t poisonWord_, poison_;  // as memory has it, and as a number
    std::optional<bool> inSlices_;       // known from the first dispatch on
    bool spoilt_ = false;  // a step has left a value that is no number; the expected results of later steps are unknown
    std::optional<HostPhases> host_;
    StepsOutcome outcome_;
};

}  // namespace

std::vector<NamedValues> givenValues(const Expectation& expectation)
{
    GivenWords words = givenWords(expectation);
    std::vector<NamedValues> given = {{"input", std::move(words.input)}};
    if (!words.blockOffsets.empty()) given.push_back({"block offsets", std::move(words.blockOffsets)});
    for (NamedValues& one : given) expectation.element().toNumbers(one.values);
    return given;
}

std::string wrongElementText(const WrongElement& wrong, std::uint64_t count, const ElementType& element)
{
    const std::string is = wrong.neverWritten ? "was never written" : fmt::format("is {}", element.text(wrong.got));
    return fmt::format("element {} of buffer '{}' should be {}, {} ({} wrong in all)", wrong.index, wrong.buffer,
                       element.text(wrong.expected), is, count);
}

std::string wrongText(const WrongStep& step, const ElementType& element)
{
    std::string text = fmt::format("dispatch {} '{}': {}", step.dispatch, step.label,
                                   wrongElementText(step.first, step.count, element));
    if (!step.repeats.empty()) text += "; " + step.repeats;
    return step.phase.empty() ? text : fmt::format("{}; first wrong in it: {}, {}", text, step.phase, step.phaseText);
}

std::optional<WrongStep> StepsOutcome::wrongStep() const
{
    const Step* wrong = firstWrong();
    if (!wrong) return std::nullopt;
    return WrongStep{wrong->dispatch.index,
                     wrong->dispatch.label,
                     *wrong->judgement.firstWrong,
                     wrong->judgement.wrongCount,
                     phase,
                     phaseText,
                     repeats};
}

const Step* StepsOutcome::firstWrong() const
{
    const auto found = std::find_if(steps.begin(), steps.end(),
                                    [](const Step& one) { return one.judgement.verdict == StepVerdict::wrong; });
    return found == steps.end() ? nullptr : &*found;
}

StepsOutcome walkSteps(Device& gpu, Trial& trial, const Task& task, const Expectation& expectation,
                       const StepsSettings& settings, const std::function<void(const StepView&)>& show)
{
    const std::uint32_t poison = PoisonWords().next();
    Walker walker(gpu, trial, task, expectation, settings,
                  StepJudge(task, trial.solution().recording(), settings.resultRight),
                  initialContents(trial, expectation, poison), poison);
    trial.replay(poison, settings.timer, [&](const Trial::Step& replayed) {
        if (const auto* dispatch = std::get_if<DispatchCommand>(&replayed.command))
            walker.onDispatch(*dispatch, replayed, show);
        else
            walker.onTransfer(replayed);
    });
    return walker.finish();
}

}  // namespace a2
