#include "judge/PartCases.h"

#include "gpu/Device.h"
#include "judge/Matrix.h"
#include "judge/SeriesEnd.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr const char* fromBefore = ": what lies before a part is added to its first element";

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
        bool isLast;           // nothing lies after the part
        bool wholeIsPositive;  // Input::isRatherPositive() of the whole array
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
        finish(one);
        return one.status == Status::passed;
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
        if (isScan() && !given_.isLast) benchmark.hostMs += trial_->sumInput(Timer::host).second.hostMs;
        benchmark.whole = {input_->allocateMs(), input_->uploadMs(), trial_->prepareMs(), benchmark.hostMs,
                           trial_->runResults().downloadMs()};
    }

private:
    bool isScan() const { return own_.taskClass().fixedResults == 0; }

    // Of a scan, which goes on from what lies before the part; met: when all had come.
    Trial::Repetition scan(Met& met, bool changed)
    {
        if (!trial_) {
            met = meetings_.with(0);
            return {};
        }
        const Trial::PartStart start{!given_.isLast,
                                     [&](std::uint32_t sum) {
                                         met = meetings_.with(sum);
                                         return met.before;
                                     },
                                     changed, given_.wholeIsPositive};
        return trial_->repetition(timer_, 1, &start);
    }

    bool repetition(CaseOutcome& one, PartTimes& times, unsigned number)
    {
        Met met;
        Trial::Repetition done;
        if (isScan())
            done = scan(met, true);
        else if (trial_)
            done = trial_->repetition(timer_);
        if (!done.verdict.passed()) {
            failAgain(one, done.verdict, fmt::format("repetition {} of {}", number, given_.settings.repeat), isScan());
            return false;
        }
        judge(one, done.verdict);
        if (!isScan()) met = meetings_.with(trial_ ? trial_->runResults().foundSum() : 0);
        times.ms.push_back(done.time.by(timer_));
        times.exchangeMs.push_back(met.exchangeMs);
        times.sumMs.push_back(done.sum ? done.sum->by(timer_) : 0);
        return true;
    }

    // Has the part become what it is of the whole, and says what is wrong with that, as far as this rank has it.
    void finish(CaseOutcome& one)
    {
        Met met;
        Verdict verdict;
        if (isScan()) {
            verdict = scan(met, false).verdict;
            if (!trial_) return;
            // Of the whole array, but for the first word of an exclusive part, which a2 has written since.
            if (!anyFails(verdict.findings) || verdict.mismatches)
                if (auto more = trial_->runResults().mismatchesWith(whole_)) verdict.mismatches = more;
        } else {
            met = meetings_.with(trial_ ? trial_->runResults().foundSum() : 0);
            if (met.whole != reference_.whole) verdict.mismatches = Mismatches{1, 0, reference_.whole, met.whole};
        }
        if (verdict.passed()) return;
        if (isScan()) {
            // The part alone once more: a solution that is wrong in a further run is so whatever lies before the part.
            const Verdict again = met.before == 0 ? verdict : trial_->judgedRun();
            if (!again.passed()) return failAgain(one, again, "a further run of the same object");
            std::erase_if(verdict.findings, [](const Finding& finding) { return finding.rule == "unwritten-output"; });
            if (verdict.mismatches) verdict.mismatches->firstIndex += given_.input.first();
        }
        judge(one, verdict);
        one.putTogether = true;
        one.findings.push_back({"", std::string(wrongTogether) + (isScan() ? fromBefore : ""), {}, Severity::note});
    }

    // A run that is wrong after others were right. goesOn: see wrongInPart().
    void failAgain(CaseOutcome& one, const Verdict& verdict, const std::string& which, bool goesOn = false) const
    {
        judge(one, verdict);
        one.findings.push_back(
            {"stale-state",
             fmt::format("{}: it passed before; record() must do all of the work, every time", which),
             {}});
        placePart(one, goesOn);
    }

    // Says where in the whole array the part lies that is wrong.
    void placePart(CaseOutcome& one, bool goesOn = false) const
    {
        const std::uint64_t first = given_.input.first(), n = given_.input.size();
        if (one.status == Status::passed || n == one.n) return;
        one.findings.push_back({"", wrongInPart(first, n, goesOn), {}, Severity::note});
    }

    const Given& given_;
    Meetings& meetings_;
    Met reference_;  // of the reference's sums
    Expectation own_, whole_;
    Timer timer_;
    const DeviceInput* input_ = nullptr;
    std::optional<Trial> trial_;  // none for a part without elements
};

}  // namespace

CaseOutcome PartCases::run(const Task& task, const CaseOutcome& asked, const Pattern& pattern, unsigned sharing,
                           Work work, KeptInput& shared)
{
    CaseOutcome one = asked;
    one.sharing = sharing;
    cases_.begin(task, one);
    const Together& together = *cases_.together();
    Meetings meetings(together.meet, task, one, sharing);
    cases_.guarded(one, [&] {
        try {
            const std::uint64_t first = together.own.begin(one.n, sharing);
            const std::uint64_t n = together.own.end(one.n, sharing) - first;
            checkSize(gpu_, task, n);
            // What the parts add up to together.
            Input::checkLength(pattern, one.n, *task.element);
            std::optional<bool> positive;
            if (task.element->isReal && pattern.fileLength() > 0)
                positive = task.inputOf(pattern, one.n, settings_.seed).isRatherPositive();
            const WithLowerLimits limited(gpu_, one.limit);
            const Input& input = shared.of(task, pattern, n, settings_.seed, first);
            const PartRun::Given given{gpu_,
                                       task,
                                       input,
                                       one.shape,
                                       settings_,
                                       settings_.timer,
                                       together.own.rank + 1 >= sharing,
                                       positive.value_or(input.isRatherPositive())};
            PartRun run(given, meetings, [&](const Expectation& expectation) -> const DeviceInput& {
                return shared.onDevice(gpu_, expectation);
            });
            if (!run.check(work != Work::checkOnce, one)) return;
            if (work != Work::time) return meetings.close();

            cases_.progress(fmt::format("{}: timing n = {}", task.id, one.n));
            Benchmark benchmark = cases_.blankBenchmark(task, one);
            PartTimes times;
            times.rank = together.own.rank;
            times.device = gpu_.properties.deviceName.data();
            times.n = n;
            if (!run.time(one, times)) return;
            benchmark.n = n;
            run.fillIn(benchmark);
            meetings.close();
            if (together.own.rank < sharing) benchmark.parts = {times};
            one.benchmark = std::move(benchmark);
        } catch (const StoppedElsewhere& stopped) {
            one.elsewhere = stopped.halt;
        }
    });
    if (one.status != Status::passed)
        one.elsewhere = meetings.stop(one.status == Status::skipped ? Halt::skipped : Halt::failed);
    return one;
}

}  // namespace a2
