// Finds dispatches that start more invocations than there is work for.
#pragma once

#include "lint/CommandLog.h"
#include "lint/Hazards.h"

#include <functional>
#include <vector>

namespace a2 {

// A useful invocation writes a word, or reads at least one word that is new to the run's dispatches: never read before,
// or not since it was written. The rule wasted-invocations concerns dispatches that start more than twice as many
// invocations as are useful, and more than one work-group beyond what these fill. It is a note where the result would
// be the same without the dispatch, or where fixedGrid says that it starts as many work-groups for longer arrays, too.
// words: what dispatches use (lint/Hazards.h); every dispatch must be in it. readingIsWork: every word that is read
// counts, because after reading there may be nothing to write.
std::vector<Finding> wastedInvocations(const CommandLog& log, const WordsOfDispatches& words, bool readingIsWork,
                                       const std::function<bool(const DispatchCommand&)>& fixedGrid);

}  // namespace a2
