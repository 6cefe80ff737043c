// The findings of a walk through a dispatch, in the form of the lint's findings.
#pragma once

#include "lint/EmulatedRun.h"
#include "lint/Finding.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A file's name under shaders/, wherever that folder was when the kernel was compiled: "include/A2LoadTile.glsl".
std::string underShaders(const std::string& file);

// What was found, the place of the other use, how often, and the cure; without the rule and the finding's own place.
std::string textOf(const KernelFinding& one);

// Findings for the emulator's rules, including not-walked, and notes on what GLSL leaves undefined.
std::vector<Finding> findingsOf(const Recording& recording, const EmulatedStep& step);

// The unset-memory finding for a step, if the run's result is wrong because it depends on words of its buffers that
// were never set; empty if this step is not the cause.
std::optional<Finding> unsetFinding(const Recording& recording, const EmulatedStep& step);

}  // namespace a2
