// A process in which the device is worked, as the a2 that the user started sees it. Whatever a driver does to that
// process, this one is not touched by it.
#pragma once

#include "cli/DeviceFrames.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace a2 {

// How the user called a2: the program, as in argv[0], and the arguments behind it.
struct Call {
    std::string calledAs;
    std::vector<std::string> arguments;
    std::string jail = {};  // a program that starts the device's process: it is given the command; empty: none does
};

struct DeviceProcessEnd {
    std::int64_t status = 0;
    int signal = 0;
    std::string text() const;  // "signal 11 (segmentation fault)"
};

// Starts one with the user's arguments and this program's standard streams, passes on its messages and their answers,
// and returns when it has ended; what `hear` throws ends it. Throws EnvironmentError where it cannot be started.
DeviceProcessEnd runDeviceProcess(const Call& call, const DeviceRequest& request, const HearDevice& hear);

// Something that does as runDeviceProcess does.
using RunDevice = std::function<DeviceProcessEnd(const Call&, const DeviceRequest&, const HearDevice&)>;

// Those that whoever started this program had ignored, which a new process is not otherwise told.
std::vector<int> ignoredSignals();

}  // namespace a2
