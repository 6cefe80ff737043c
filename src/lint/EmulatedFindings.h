// What the walk through a dispatch has found, as the lint says it.
#pragma once

#include "lint/EmulatedRun.h"
#include "lint/Finding.h"

#include <optional>
#include <string>
#include <vector>

namespace a2 {

// The name of a file under shaders/, wherever that was when the kernel was compiled: "include/A2LoadTile.glsl".
std::string underShaders(const std::string& file);

// What was found, where the other use is, how often, and the cure: without its rule and its own place.
std::string textOf(const KernelFinding& one);

// Rules of the emulator, not-walked among them; and notes on what GLSL leaves undefined.
std::vector<Finding> findingsOf(const Recording& recording, const EmulatedStep& step);

// unset-memory, of a step of a run whose result is made of what nobody has set in its buffers, and wrong; none: not
// this step's fault.
std::optional<Finding> unsetFinding(const Recording& recording, const EmulatedStep& step);

}  // namespace a2
