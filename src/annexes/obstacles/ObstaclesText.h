// What `a2 obstacles` prints, 80 characters wide.
#pragma once

#include "annexes/obstacles/ObstacleFinder.h"
#include "annexes/obstacles/ScanMethods.h"
#include "report/Text.h"

#include <string>
#include <vector>

namespace a2 {

// What was measured, and the scan of the obstacle array, shortened in its middle unless style.verbose. Newline at the
// end, here and below.
std::string sweepText(const Sweep& sweep, float maxDistance, const ObstacleReference& found, const ConsoleStyle& style);
// The obstacles, the first few of them unless style.verbose, and how many readings they come from.
std::string obstaclesText(const Sweep& sweep, const std::vector<Obstacle>& obstacles, std::uint64_t readings,
                          const ConsoleStyle& style);
// The methods side by side: time, operations, memory; below each its formulas, below all what differs and why.
// style.copyPeakGBps: for the share of it.
std::string methodsText(const std::vector<MethodOutcome>& methods, const KernelShape& shape, const ConsoleStyle& style);

}  // namespace a2
