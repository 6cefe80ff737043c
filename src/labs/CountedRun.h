// Runs a solution with every kernel replaced by the one that counts what it does.
#pragma once

#include "a2/Solution.h"
#include "kernel/CountedKernel.h"

#include <functional>
#include <memory>
#include <vector>

namespace a2 {

// Makes the solution, records it once as it is, and runs the same dispatches, on the same buffers and push constants,
// by counting kernels. `look` is given the solution's result, which they have written, so that it can be judged: a
// kernel that is right still does what it did. Each dispatch's totals, in order. Throws KernelError for a dispatch that
// is not of ComputePipeline's.
std::vector<KernelTotals> countedRun(Gpu& gpu, const std::function<std::unique_ptr<Solution>()>& make,
                                     const std::function<void(const Buffer& result)>& look);

}  // namespace a2
