// The result of `a2 obstacles`, as `obstacles` in the JSON report.
#pragma once

#include "annexes/obstacles/ObstacleFinder.h"
#include "annexes/obstacles/ScanMethods.h"

#include <string>
#include <vector>

namespace a2 {

struct ObstaclesOutcome {
    Sweep sweep;
    float maxDistance = 0;
    KernelShape shape;  // of the compared scans
    FoundObstacles found;
    std::vector<MethodOutcome> methods;
    std::vector<std::string> objections;  // empty: all is right
};

std::string obstaclesJson(const ObstaclesOutcome& outcome);

}  // namespace a2
