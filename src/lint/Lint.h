// The rules that what was recorded must keep, whatever came out of it.
#pragma once

#include "lint/CommandLog.h"
#include "lint/Hazards.h"

#include <functional>
#include <string>
#include <vector>

namespace a2 {

// What a row's run was asked for.
struct AskedShape {
    std::uint32_t workGroup = 0;            // invocations; 0: nobody knows
    std::vector<std::string> kernels = {};  // the row's own
    // Whether a dispatch's kernel has other work-groups where others are asked for: twice as many invocations, or half
    // of them, are another way to lay out the same work. Empty: it has not.
    std::function<bool(const DispatchCommand&)> follows = {};
    std::uint64_t resultBytes = 0;  // of the result; 0: nobody knows
};

// The rules that need nothing but the log: no-dispatch, missing-barrier, weak-barrier, empty-dispatch, group-limit,
// range-limit, push-constant-size, and out-of-bounds for a binding without a buffer and beyond a shared array.
// result: where the solution says the result is. It must have been written by a dispatch, or copied from what one
// wrote, half of it at least; or, where resultGiven, lie where the input lay, untouched.
// words: as in Hazards.h. asked: for fixed-shape; without it, what kernels were made with counts.
std::vector<Finding> lint(const CommandLog& log, Index result, bool resultGiven, const WordsOfDispatches& words = {},
                          const AskedShape& asked = {});

}  // namespace a2
