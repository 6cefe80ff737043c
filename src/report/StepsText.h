// The output of `a2 steps`: the buffers at the start, then every dispatch with its results.
#pragma once

#include "judge/Outcome.h"
#include "judge/Steps.h"
#include "report/Text.h"

#include <string>
#include <vector>

namespace a2 {

// The run's title and its input buffers.
std::string stepsHead(const Task& task, const CaseOutcome& run, const std::vector<NamedValues>& given,
                      const ConsoleStyle& style);

// One dispatch: its call, what is bound, and the buffers it wrote. Small buffers are shown whole; of long ones, the
// first and last changes, and the wrong elements.
std::string stepText(const StepView& view, const ConsoleStyle& style);

// The verdict on the whole run.
std::string stepsTail(const TaskOutcome& outcome, const StepsOutcome& steps, const ConsoleStyle& style);

}  // namespace a2
