#include "judge/Series.h"

#include "base/Clock.h"
#include "gpu/Device.h"
#include "judge/SeriesEnd.h"

#include <algorithm>

namespace a2 {

namespace {

template <class Run>
void warmUp(const Run& run, const SeriesSettings& settings)
{
    const double ms = warmUpNow(settings);
    for (const auto start = Clock::now(); msSince(start) < ms;) run();
}

// A judged series by one clock; empty if a repetition has no time by it.
class SeriesRun {
public:
    SeriesRun(Trial& trial, const SeriesSettings& settings)
        : trial_(trial), settings_(settings), judgesBatches_(settings.batch == 1 || trial.keepsInput())
    {
    }

    std::optional<SeriesResult> result()
    {
        const auto run = [&] { return trial_.timedRun(settings_.timer, settings_.batch); };
        SeriesSettings beforeLast = settings_;  // before the last judged run, which may be a sample
        if (judgesBatches_) --beforeLast.repeat;
        warmUp(run, settings_);
        if (judgedRun() && beforeLast.repeat > 0) {
            warmUp(run, settings_);  // the device was idle during judging
            const SeriesEnd end(beforeLast);
            while (!lacking_ && !end.hasCome(samples_) && repetition()) {
            }
            if (!lacking_ && !wrong_) judgedRun();
        }
        if (lacking_) return std::nullopt;
        SeriesResult result;
        result.verdict = std::move(verdict_);
        result.timer = settings_.timer;
        result.wrongRepetition = wrong_;
        if (result.verdict.passed()) result.hostMs = trial_.timedRun(Timer::host).hostMs;
        result.ms = statistics(std::move(samples_));
        return result;
    }

private:
    // If a solution overwrites its input, only the first run of a batch has the right input, and the state after the
    // last one cannot be judged: then single runs before and after the repetitions are judged.
    bool judgedRun()
    {
        RunTime time;
        verdict_ = trial_.judgedRun(settings_.timer, &time, judgesBatches_ ? settings_.batch : 1);
        if (verdict_.passed() && judgesBatches_) add(time);
        return verdict_.passed() && !lacking_;
    }

    // A repetition between the first and the last; false if it is wrong.
    bool repetition()
    {
        if (!judgesBatches_) {
            add(trial_.timedRun(settings_.timer, settings_.batch));
            return true;
        }
        Trial::Repetition done = trial_.repetition(settings_.timer, settings_.batch);
        add(done.time);
        if (done.verdict.passed()) return true;
        wrong_ = samples_.size();
        verdict_ = std::move(done.verdict);
        return false;
    }

    void add(const RunTime& time)
    {
        lacking_ = lacking_ || time.lacks(settings_.timer);
        samples_.push_back(time.by(settings_.timer));
    }

    Trial& trial_;
    const SeriesSettings& settings_;
    bool judgesBatches_;
    bool lacking_ = false;
    std::optional<std::size_t> wrong_;
    Verdict verdict_;
    std::vector<double> samples_;
};

}  // namespace

double warmUpNow(const SeriesSettings& settings)
{
    if (!settings.device || settings.warmUpMs <= 0) return settings.warmUpMs;
    return std::max(settings.warmUpMs, settings.coldWarmUpMs - settings.device->awakeMs());
}

Timer warmUpOneByOne(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings)
{
    const double ms = warmUpNow(settings);
    const Timer timer = run(settings.timer).lacks(settings.timer) ? Timer::host : settings.timer;
    for (const auto start = Clock::now(); msSince(start) < ms;) run(timer);
    return timer;
}

Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings)
{
    const auto byHost = [&](Timer) { return RunTime{std::nullopt, run()}; };
    SeriesSettings onHost = settings;
    onHost.timer = Timer::host;
    return timeOnDevice(byHost, onHost).ms;
}

DeviceTimes timeOnDevice(const std::function<RunTime(Timer)>& run, const SeriesSettings& settings)
{
    for (Timer timer = settings.timer;; timer = Timer::host) {
        warmUp([&] { run(timer); }, settings);
        std::vector<double> samples;
        bool lacking = false;
        const SeriesEnd end(settings);
        while (!lacking && !end.hasCome(samples)) {
            const RunTime time = run(timer);
            lacking = time.lacks(timer);
            samples.push_back(time.by(timer));
        }
        if (!lacking) return {statistics(std::move(samples)), timer};
    }
}

// One clock for all repetitions: if one of them has no timestamp, all are repeated and timed by the host's clock.
SeriesResult timeSeries(Trial& trial, SeriesSettings settings)
{
    for (;; settings.timer = Timer::host)
        if (auto result = SeriesRun(trial, settings).result()) return std::move(*result);
}

}  // namespace a2
