// Runs a solution with every kernel replaced by the one that counts what it does.
#pragma once

#include "judge/Runnable.h"
#include "spirv/CountedKernel.h"

#include <functional>
#include <memory>
#include <vector>

namespace a2 {

// Runs what the work's next run has as dispatches, on the same buffers and push constants, by counting kernels. `look`
// is given the solution's result, which they have written, so that it can be judged: a kernel that is right still does
// what it did. Each dispatch's totals, in order. Throws KernelError for a kernel that is none of the project's.
std::vector<KernelTotals> countedRun(Device& gpu, Runnable& work,
                                     const std::function<void(const DeviceBuffer& result)>& look);

}  // namespace a2
