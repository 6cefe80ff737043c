// Converts outcomes to and from JSON, between the process that works the device and the one that writes verdicts and
// reports.
#pragma once

#include "judge/Outcome.h"

#include <nlohmann/json_fwd.hpp>

namespace a2 {

// For a task, only its id and its element type are sent.
nlohmann::json wireOf(const TaskOutcome& outcome);
nlohmann::json wireOf(const CaseOutcome& one);

// Throw nlohmann::json::exception if the JSON is no such value, Error (internal) for an unknown type, and UsageError
// for an unknown id.
TaskOutcome taskOutcomeFrom(const nlohmann::json& json);
CaseOutcome caseOutcomeFrom(const nlohmann::json& json);

}  // namespace a2
