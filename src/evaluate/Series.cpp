#include "evaluate/Series.h"

#include "Clock.h"
#include "gpu/GpuState.h"

#include <algorithm>

namespace a2 {

namespace {

void warmUp(const std::function<double()>& run, const SeriesSettings& settings)
{
    const double ms = warmUpNow(settings);
    for (const auto start = Clock::now(); msSince(start) < ms;) run();
}

double milliseconds(const RunTime& time, Timer timer)
{
    return timer == Timer::gpu ? time.gpuMs.value_or(0) : time.hostMs;
}

}  // namespace

double warmUpNow(const SeriesSettings& settings)
{
    constexpr double momentMs = 500;
    const bool cold = settings.device && settings.warmUpMs > 0 && settings.device->idleMs() > momentMs;
    return cold ? std::max(settings.warmUpMs, settings.coldWarmUpMs) : settings.warmUpMs;
}

Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings)
{
    warmUp(run, settings);
    std::vector<double> samples;
    const auto start = Clock::now();
    while (samples.size() < settings.repeat) {
        samples.push_back(run());
        if (settings.maxSeconds && msSince(start) > *settings.maxSeconds * 1000) break;
    }
    return statistics(std::move(samples));
}

SeriesResult timeSeries(Trial& trial, SeriesSettings settings)
{
    SeriesResult result;
    const auto run = [&] { return milliseconds(trial.timedRun(settings.timer, settings.batch), settings.timer); };
    // Where a solution writes over its input, only the first run of a batch has the right input, and the state after
    // the last one is nothing that could be judged: then single runs before and after the repetitions are.
    const bool judgesBatches = settings.batch == 1 || trial.keepsInput();
    if (!judgesBatches && settings.timer == Timer::gpu && !trial.timedRun(Timer::gpu, settings.batch).gpuMs)
        settings.timer = Timer::host;

    std::vector<double> samples;
    unsigned judged = 0;
    const auto judgedRun = [&] {
        RunTime time;
        if (!judgesBatches) {
            result.verdict = trial.judgedRun(Trial::poison(judged++), settings.timer, &time);
            return result.verdict.passed();
        }
        result.verdict = trial.judgedRun(Trial::poison(judged++), settings.timer, &time, settings.batch);
        if (settings.timer == Timer::gpu && !time.gpuMs) {  // no timestamps that count: once more, by the host's clock
            settings.timer = Timer::host;
            result.verdict = trial.judgedRun(Trial::poison(judged++), settings.timer, &time, settings.batch);
        }
        samples.push_back(milliseconds(time, settings.timer));
        return result.verdict.passed();
    };

    const unsigned beforeLast = settings.repeat - (judgesBatches ? 1 : 0);  // samples before the last judged run
    warmUp(run, settings);
    if (judgedRun() && beforeLast > 0) {
        warmUp(run, settings);  // judging let the device idle
        const auto start = Clock::now();
        while (samples.size() < beforeLast) {
            samples.push_back(run());
            if (settings.maxSeconds && msSince(start) > *settings.maxSeconds * 1000) break;
        }
        judgedRun();
    }
    if (result.verdict.passed()) result.hostMs = trial.timedRun(Timer::host).hostMs;
    result.timer = settings.timer;
    result.ms = statistics(std::move(samples));
    return result;
}

}  // namespace a2
