// What `a2 steps` prints: the buffers at the start, then every dispatch with what it left behind.
#pragma once

#include "judge/Evaluator.h"
#include "report/Text.h"

#include <string>
#include <vector>

namespace a2 {

// The run's title and the buffers as they are given.
std::string stepsHead(const Task& task, const CaseOutcome& run, const std::vector<NamedValues>& given,
                      const ConsoleStyle& style);

// One dispatch: its call, what is bound, and the buffers it wrote. Small buffers are shown whole, long ones where they
// changed first and last, and where they are wrong.
std::string stepText(const StepView& view, const ConsoleStyle& style);

// The verdict on the whole run.
std::string stepsTail(const TaskOutcome& outcome, const StepsOutcome& steps, const ConsoleStyle& style);

}  // namespace a2
