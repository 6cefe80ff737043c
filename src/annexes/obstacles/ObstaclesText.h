// The output of `a2 obstacles`, 80 characters wide.
#pragma once

#include "annexes/obstacles/ObstacleFinder.h"
#include "annexes/obstacles/ScanMethods.h"
#include "report/Text.h"

#include <string>
#include <vector>

namespace a2 {

// The measured sweep, and the scan of the obstacle array, shortened in its middle unless style.verbose. This and the
// texts below end in a newline.
std::string sweepText(const Sweep& sweep, float maxDistance, const ObstacleReference& found, const ConsoleStyle& style);
// The obstacles, only the first few unless style.verbose, and the number of readings behind them.
std::string obstaclesText(const Sweep& sweep, const std::vector<Obstacle>& obstacles, std::uint64_t readings,
                          const ConsoleStyle& style);
// The methods side by side: time, operations, memory; below each its formulas, below all the differences and their
// reasons. style.copyPeakGBps: for the share of it.
std::string methodsText(const std::vector<MethodOutcome>& methods, const KernelShape& shape, const ConsoleStyle& style);

}  // namespace a2
