#include "evaluate/Series.h"

#include "Clock.h"

namespace a2 {

namespace {

// A device that has idled, for instance while the host was judging, runs its first milliseconds up to three times
// slower (measured on an NVIDIA H200): keep it busy before anything is timed.
void warmUp(const std::function<double()>& run, double ms)
{
    for (const auto start = Clock::now(); msSince(start) < ms;) run();
}

double milliseconds(const RunTime& time, Timer timer)
{
    return timer == Timer::gpu ? time.gpuMs.value_or(0) : time.hostMs;
}

}  // namespace

Statistics timeUnjudged(const std::function<double()>& run, const SeriesSettings& settings)
{
    warmUp(run, settings.warmUpMs);
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
    const auto run = [&] { return milliseconds(trial.timedRun(settings.timer), settings.timer); };

    std::vector<double> samples;
    unsigned judged = 0;
    const auto judgedRepetition = [&] {
        RunTime time;
        result.verdict = trial.judgedRun(Trial::poison(judged++), settings.timer, &time);
        if (settings.timer == Timer::gpu && !time.gpuMs) {  // no timestamps that count: once more, by the host's clock
            settings.timer = Timer::host;
            result.verdict = trial.judgedRun(Trial::poison(judged++), settings.timer, &time);
        }
        samples.push_back(milliseconds(time, settings.timer));
        return result.verdict.passed();
    };

    warmUp(run, settings.warmUpMs);
    if (judgedRepetition() && settings.repeat > 1) {
        warmUp(run, settings.warmUpMs);  // judging let the device idle
        const auto start = Clock::now();
        while (samples.size() + 1 < settings.repeat) {
            samples.push_back(run());
            if (settings.maxSeconds && msSince(start) > *settings.maxSeconds * 1000) break;
        }
        judgedRepetition();
    }
    if (result.verdict.passed()) result.hostMs = trial.timedRun(Timer::host).hostMs;
    result.timer = settings.timer;
    result.ms = statistics(std::move(samples));
    return result;
}

}  // namespace a2
