#include "judge/EvaluationSettings.h"

#include "gpu/Device.h"

#include <fmt/format.h>

namespace a2 {

SeriesSettings seriesOn(const Device& gpu, const EvaluationSettings& chosen)
{
    SeriesSettings series;
    series.timer = chosen.timer;
    series.repeat = chosen.repeat;
    series.maxSeconds = chosen.maxSeconds;
    series.device = &gpu;
    if (gpu.isCpu()) series.warmUpMs = 0;  // no clock to raise: the judged runs were enough
    return series;
}

std::string stepsCommand(const Task& task, const CaseOutcome& one, const EvaluationSettings& settings)
{
    return fmt::format("{} steps {} {}{}", settings.program, task.id, optionsText(one), settings.moreOptions);
}

}  // namespace a2
