// The rules that what was recorded must keep, whatever came out of it.
#pragma once

#include "lint/CommandLog.h"
#include "lint/Hazards.h"

#include <functional>
#include <vector>

namespace a2 {

// Whether a dispatch's kernel has other work-groups where others are asked for: twice as many invocations, or half of
// them, are another way to lay out the same work.
using FollowsShape = std::function<bool(const DispatchCommand&)>;

// The rules that need nothing but the log: no-dispatch, missing-barrier, weak-barrier, empty-dispatch, group-limit,
// range-limit, push-constant-size, and out-of-bounds for a binding without a buffer and behind a shared array.
// result: where the solution says the result is. It must have been written by a dispatch, or copied from what one
// wrote; or, where resultGiven, lie where the input lay, untouched.
// words: as in Hazards.h. follows: asked of kernels that have not the work-groups that were asked for; without it, none
// does.
std::vector<Finding> lint(const CommandLog& log, vk::Buffer result, bool resultGiven,
                          const WordsOfDispatches& words = {}, const FollowsShape& follows = {});

}  // namespace a2
