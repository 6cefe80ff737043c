// Dispatches that start more invocations than have something to do.
#pragma once

#include "lint/CommandLog.h"
#include "lint/Hazards.h"

#include <functional>
#include <vector>

namespace a2 {

// An invocation of use reads at least one word that is news to the run's dispatches, never read before or written
// since, or writes one itself. Rule wasted-invocations, of dispatches with more than twice as many, and more than one
// work-group beyond what they fill; a note where the result would be the same without the dispatch, or where fixedGrid
// says that it starts as many work-groups for longer arrays, too. words: what dispatches use (lint/Hazards.h); all of
// them are in it. readingIsWork: every word that is read counts, for what is found there may leave nothing to be
// written.
std::vector<Finding> wastedInvocations(const CommandLog& log, const WordsOfDispatches& words, bool readingIsWork,
                                       const std::function<bool(const DispatchCommand&)>& fixedGrid);

}  // namespace a2
