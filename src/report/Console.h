// What a task prints on stdout: the assignment's three lines, or what went wrong.
#pragma once

#include "evaluate/Outcome.h"

namespace a2 {

struct ConsoleStyle {
    bool verbose = false;
    bool colour = false;
    std::size_t columns = 0;  // break explanations at this width; 0: one line each
    double copyPeakGBps = 0;  // for the share of it in verbose output; 0 if not measured
};

// The text of one task, newline at the end.
std::string outcomeText(const TaskOutcome& outcome, const ConsoleStyle& style);
void printOutcome(const TaskOutcome& outcome, const ConsoleStyle& style);

}  // namespace a2
