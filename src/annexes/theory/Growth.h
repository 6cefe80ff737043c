// Whether a solution is work-optimal and cost-optimal, judged by how its work and its cost grow with the array.
#pragma once

#include "judge/CountedWork.h"

namespace a2 {

struct GrowthPoint {
    std::uint64_t n = 0;
    KernelShape shape;
    Measures measures;
};

enum class Growth { bounded, grows, unknown };

// For W / n or C / n at ever longer arrays: bounded if the last is at most a tenth more than the middle one. A ratio
// that grows with log n, the slowest growth that occurs here, gains a third between the two. Unknown for fewer than
// four.
Growth growthOf(const std::vector<double>& ratios);

// An optimal algorithm makes, up to a constant factor, the sequential one's n - 1 additions: W / n is bounded. It is
// cost-optimal if C / n is, with as many processors as invocations are active at once.
struct Optimality {
    // Small work-groups on ever longer arrays, and one ever larger work-group for the whole array: these show growth
    // with the number of work-groups, and growth inside one. Leaves out what the device cannot run; a series ends when
    // it needs too many instructions to be followed.
    std::vector<GrowthPoint> longer, wider;
    Growth work = Growth::unknown, cost = Growth::unknown;
};
Optimality optimality(const Workload& work, const Task& task, bool exclusive);

}  // namespace a2
