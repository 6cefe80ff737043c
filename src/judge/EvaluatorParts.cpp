// Evaluator: a case of an array that several ranks share. Each runs the task's recording on its own part, the sums of
// the parts are passed on, and of a scan the Offset kernel adds to each part what lies before it: the extension for
// large arrays once more, a level up. Every rank goes through the same meetings in the same order, whatever happens to
// one of them: who cannot go on says so at the next one, and the case is over for all.

#include "gpu/Device.h"
#include "judge/Evaluator.h"
#include "judge/Matrix.h"
#include "judge/PartOffset.h"
#include "judge/SeriesEnd.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

// Another rank stopped the case.
struct StoppedElsewhere {
    Halt halt;
};

// FNV-1a (Fowler, Noll, Vo): ranks that are at different cases are to be found out.
std::uint64_t digestOfText(const std::string& text)
{
    std::uint64_t digest = 0xCBF29CE484222325;
    for (const char c : text) digest = (digest ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    return digest;
}

// The meetings of one case.
class Meetings {
public:
    Meetings(const Meet& meet, const Task& task, const CaseOutcome& one, unsigned sharing) : meet_(meet)
    {
        brought_.sharing = sharing;
        brought_.what = digestOfText(
            fmt::format("{} {} {} {}x{}", task.id, optionsText(one), sharing, one.shape.places, one.shape.banks));
    }

    // Throws StoppedElsewhere.
    Met with(std::uint32_t sum, bool last = false)
    {
        brought_.sum = sum;
        brought_.last = last;
        const Met met = meet_(brought_);
        if (met.halt == Halt::none) return met;
        over_ = true;
        throw StoppedElsewhere{met.halt};
    }
    // The last one: all of the case has gone well, for all.
    void close()
    {
        with(0);
        over_ = true;
    }
    // The case is over here, and with that for all, unless it was over before. Returns why others stopped it.
    Halt stop(Halt halt)
    {
        if (over_) return Halt::none;
        over_ = true;
        brought_.halt = halt;
        return meet_(brought_).halt;
    }

private:
    const Meet& meet_;
    Brought brought_;
    bool over_ = false;
};

// One rank's part of a case, on its device.
class PartRun {
public:
    struct Given {
        Device& gpu;
        const Task& task;
        const Input& input;  // of the part
        const KernelShape& shape;
        const EvaluationSettings& settings;
        Timer timer;
    };
    // makeInput: called where the part has elements.
    PartRun(const Given& given, Meetings& meetings,
            const std::function<const DeviceInput&(const Expectation&)>& makeInput)
        : given_(given),
          meetings_(meetings),
          reference_(meetings.with(given.input.sum())),
          own_(*given.task.taskClass, given.input, given.shape),
          whole_(*given.task.taskClass, given.input, given.shape, reference_.before),
          timer_(given.timer)
    {
        if (given.input.size() == 0) return;
        if (needsOffset()) offset_.emplace(given.gpu, given.input.size(), "A2Task2KernelDecompositionOffset");
        input_ = &makeInput(own_);
        trial_.emplace(given.gpu, given.task, own_, *input_);
    }

    // The part, judged, and then what it becomes of the whole. False where either is wrong.
    bool check(bool thrice, CaseOutcome& one)
    {
        if (trial_) judge(one, thrice ? trial_->judgeThreeRuns() : trial_->judgedRun());
        if (one.status != Status::passed) {
            placePart(one);
            return false;
        }
        if (const auto wrong = finish()) {
            one.status = Status::failed;
            one.mismatches = wrong;
            one.putTogether = true;
            one.findings.push_back({"", wrongTogether, {}, Severity::note});
            return false;
        }
        return true;
    }

    // Repetitions, each from when all have come. False where one is wrong.
    bool time(CaseOutcome& one, PartTimes& times)
    {
        const SeriesSettings series = seriesOn(given_.gpu, given_.settings);
        if (trial_) timer_ = warmUpOneByOne([&](Timer timer) { return trial_->timedRun(timer); }, series);
        const SeriesEnd end(series);
        for (unsigned i = 1; !meetings_.with(0, end.hasCome(times.ms)).last; ++i)
            if (!repetition(one, times, i)) return false;
        return check(false, one);
    }

    void fillIn(Benchmark& benchmark)
    {
        benchmark.timer = timer_;
        if (!trial_) return;
        benchmark.cpuMs = own_.taskClass().oneCoreMs(given_.input);
        benchmark.hostMs = trial_->timedRun(Timer::host).hostMs;
        benchmark.whole = {input_->allocateMs(), input_->uploadMs(), trial_->prepareMs(), benchmark.hostMs,
                           trial_->downloadMs()};
    }

private:
    // Of a scan; nothing lies before the array's first part.
    bool needsOffset() const { return own_.taskClass().fixedResults == 0 && given_.input.first() > 0; }

    bool repetition(CaseOutcome& one, PartTimes& times, unsigned number)
    {
        double ms = 0, offsetMs = 0;
        std::uint32_t sum = 0;
        if (trial_) {
            const Trial::Repetition done = trial_->repetition(timer_);
            ms = done.time.by(timer_);
            sum = trial_->foundSum();
            Verdict verdict = done.verdict;
            if (verdict.passed() && sum != trial_->expectedSum())
                verdict.mismatches = {1, 0, trial_->expectedSum(), sum};
            judge(one, verdict);
            if (one.status != Status::passed) {
                one.findings.push_back({"stale-state",
                                        fmt::format("repetition {} of {}: it passed before; record() must "
                                                    "do all of the work, every time",
                                                    number, given_.settings.repeat),
                                        {}});
                placePart(one);
                return false;
            }
        }
        const Met met = meetings_.with(sum);
        if (offset_)
            offsetMs = offset_->add(given_.task.element->word(met.before), trial_->result(), timer_).by(timer_);
        times.ms.push_back(ms);
        times.exchangeMs.push_back(met.exchangeMs);
        times.offsetMs.push_back(offsetMs);
        return true;
    }

    // Passes on what the part's result says of its sum. Returns what is wrong with the whole afterwards, as far as this
    // rank has it.
    std::optional<Mismatches> finish()
    {
        const Met met = meetings_.with(trial_ ? trial_->foundSum() : 0);
        if (own_.taskClass().fixedResults > 0) {
            if (met.whole == reference_.whole) return std::nullopt;
            return Mismatches{1, 0, reference_.whole, met.whole};
        }
        if (!trial_) return std::nullopt;
        if (offset_) offset_->add(given_.task.element->word(met.before), trial_->result(), timer_);
        std::optional<Mismatches> wrong = trial_->mismatchesWith(whole_);
        if (wrong) wrong->firstIndex += given_.input.first();
        return wrong;
    }

    // Says where in the whole array the part lies that is wrong.
    void placePart(CaseOutcome& one) const
    {
        const std::uint64_t first = given_.input.first(), n = given_.input.size();
        if (one.status == Status::passed || n == one.n) return;
        one.findings.push_back({"", wrongInPart(first, n), {}, Severity::note});
    }

    const Given& given_;
    Meetings& meetings_;
    Met reference_;  // of the reference's sums
    Expectation own_, whole_;
    Timer timer_;
    std::optional<PartOffset> offset_;  // see needsOffset()
    const DeviceInput* input_ = nullptr;
    std::optional<Trial> trial_;  // none for a part without elements
};

}  // namespace

CaseOutcome Evaluator::partCase(const Task& task, const CaseOutcome& asked, const Pattern& pattern, unsigned sharing,
                                PartWork work, Shared& shared)
{
    CaseOutcome one = asked;
    begin(task, one);
    Meetings meetings(together_->meet, task, one, sharing);
    guarded(one, [&] {
        try {
            const std::uint64_t first = together_->own.begin(one.n, sharing);
            const std::uint64_t n = together_->own.end(one.n, sharing) - first;
            checkSize(gpu_, task, n);
            // What the parts add up to together.
            Input::checkLength(pattern, one.n, *task.element);
            if (task.element->isReal && pattern.fileLength() > 0) task.inputOf(pattern, one.n, settings_.seed);
            const WithLowerLimits limited(gpu_, one.limit);
            const PartRun::Given given{gpu_,      task,      inputFor(task, pattern, n, shared, first),
                                       one.shape, settings_, settings_.timer};
            PartRun run(given, meetings, [&](const Expectation& expectation) -> const DeviceInput& {
                return deviceInputFor(expectation, shared);
            });
            if (!run.check(work != PartWork::checkOnce, one)) return;
            if (work != PartWork::time) return meetings.close();

            progress_(fmt::format("{}: timing n = {}", task.id, one.n));
            Benchmark benchmark = blankBenchmark(task, one);
            PartTimes times{together_->own.rank, gpu_.properties.deviceName.data(), n, {}, {}, {}};
            if (!run.time(one, times)) return;
            benchmark.n = n;
            run.fillIn(benchmark);
            meetings.close();
            if (together_->own.rank < sharing) benchmark.parts = {times};
            one.benchmark = std::move(benchmark);
        } catch (const StoppedElsewhere& stopped) {
            one.elsewhere = stopped.halt;
        }
    });
    if (one.status != Status::passed)
        one.elsewhere = meetings.stop(one.status == Status::skipped ? Halt::skipped : Halt::failed);
    return one;
}

std::vector<TaskOutcome> Evaluator::benchParts(const std::vector<Task>& tasks, const ShowCase& show)
{
    std::vector<TaskOutcome> outcomes(tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) outcomes[i].task = tasks[i];
    const auto benchRow = [&](TaskOutcome& outcome) {
        for (const unsigned sharing : settings_.sharing) {
            if (deviceFailed() || outcome.isOver()) break;
            const std::uint64_t n = settings_.weak ? settings_.size * sharing : settings_.size;
            progress_(fmt::format("{}: timing n = {}, {} of {} ranks", outcome.task.id, n, sharing, allRanks()));
            CaseOutcome one = blank(timedPattern(), n, outcome.task.shape);
            guarded(one, [&] { one.shape = shapeOf(outcome.task, ceilDiv(n, sharing), settings_.workGroup); });
            if (one.status == Status::passed && n > 0)
                one = partCase(outcome.task, one, timedPattern(), sharing, PartWork::time, main_);
            if (one.benchmark) {
                one.benchmark->nameSuffix = shapeSuffix(one.shape);
            }
            if (n == 0) one.benchmark = blankBenchmark(outcome.task, one);
            outcome.cases.push_back(one);
            show(outcome.task, outcome.cases.back());
            if (n == 0) return checkQuickSizes(outcome, one.shape);
        }
    };
    for (TaskOutcome& outcome : outcomes) benchRow(outcome);
    if (deviceFailed()) std::erase_if(outcomes, [](const TaskOutcome& one) { return !one.deviceFailed(); });
    for (TaskOutcome& outcome : outcomes) finish(outcome, false);
    return outcomes;
}

}  // namespace a2
