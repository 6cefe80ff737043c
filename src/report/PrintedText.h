// The output of kernels, for the console.
#pragma once

#include "judge/PrintedRun.h"
#include "report/Text.h"

#include <string>
#include <vector>

namespace a2 {

// Of one dispatch: phase by phase, and in each of them a line for each invocation.
std::string printedText(const std::vector<PrintedLine>& lines, const ConsoleStyle& style);
// Of a whole run, dispatch by dispatch, with its length and shape in the first line.
std::string printedText(const PrintedRun& run, const ConsoleStyle& style);
// How much is not shown, and the option that shows it; empty: all is shown.
std::string unprintedText(const PrintedRun& run, const ConsoleStyle& style);

}  // namespace a2
