// The built a2 on top of the fault layer (FaultLayer.cpp lists its settings).
#pragma once

#include "contract/RunA2.h"

#include <string>

namespace faults {

using contract::contains;
using contract::Environment;
using contract::Finished;
using contract::Folder;
using contract::linesOf;
using contract::textOf;
using contract::Words;

// Why the tests cannot run here; empty if they can.
const std::string& whyNot();

// How many of the calls are tried, of those that end something or fail: A2_FAULTS in the environment, "closely" or
// "all".
std::string howMany();

// Runs a2 on the CPU device. plan: settings of the layer, as names without A2_FAULT_, and values. Expects that a2 does
// not go on with a device that has failed.
Finished runFaulty(const Words& arguments, const Environment& plan);

// The lines on stderr that report an error.
std::size_t errorLines(const Finished& run);

// How often `part` occurs in `text`.
std::size_t count(const std::string& text, const std::string& part);

// Values of VkResult.
constexpr const char *timeOut = "2", *outOfHostMemory = "-1", *outOfDeviceMemory = "-2", *initializationFailed = "-3",
                     *deviceLost = "-4";

}  // namespace faults
