// The rules that recorded commands must keep, whatever their result is.
#pragma once

#include "lint/CommandLog.h"
#include "lint/Hazards.h"

#include <functional>
#include <string>
#include <vector>

namespace a2 {

// What a row's run asks for.
struct AskedShape {
    std::uint32_t workGroup = 0;            // invocations; 0: not known
    std::vector<std::string> kernels = {};  // the kernels of the row itself
    // Whether the size of a dispatch's work-groups changes with the size asked for: twice as many invocations, or half
    // as many, are only another layout of the same work. Empty: never.
    std::function<bool(const DispatchCommand&)> follows = {};
    std::uint64_t resultBytes = 0;  // size of the result; 0: not known
};

// The buffer that the solution names as the result.
struct NamedResult {
    Index buffer = 0;
    bool isInput = false;  // the one that was given
    bool isRight = false;
};

// The rules that only need the log: no-dispatch, missing-barrier, weak-barrier, empty-dispatch, group-limit,
// range-limit, push-constant-size, and out-of-bounds for a binding without a buffer and beyond a shared array. At least
// half of the result must have been written by a dispatch, or copied from what a dispatch wrote; or it is the untouched
// input, and right. words: as in Hazards.h. asked: for fixed-shape; without it, the size that kernels were made with
// counts.
std::vector<Finding> lint(const CommandLog& log, const NamedResult& result, const WordsOfDispatches& words = {},
                          const AskedShape& asked = {});

}  // namespace a2
