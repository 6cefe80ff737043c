// Outcomes on their way from the process that works the device to the one that writes verdicts and reports.
#pragma once

#include "judge/Outcome.h"

#include <nlohmann/json_fwd.hpp>

namespace a2 {

// Of a task only its id and its type of elements go with them.
nlohmann::json wireOf(const TaskOutcome& outcome);
nlohmann::json wireOf(const CaseOutcome& one);

// Throw nlohmann::json::exception for what is no such value, Error (internal) for a type
// and UsageError for an id that there is not.
TaskOutcome taskOutcomeFrom(const nlohmann::json& json);
CaseOutcome caseOutcomeFrom(const nlohmann::json& json);

}  // namespace a2
