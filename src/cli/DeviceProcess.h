// A process in which the device is worked, as the a2 that the user started sees it. Whatever a driver does to that
// process, this one is not touched by it.
#pragma once

#include "cli/DeviceFrames.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace a2 {

// How the user called a2: the program, as in argv[0], and the arguments after it.
struct Call {
    std::string calledAs;
    std::vector<std::string> arguments;
    std::string jail = {};  // a program that starts the device's process: it is given the command; empty: none does
    // How long the process may give no sign of life, or be in one call of the driver. Less than leastPatience counts as
    // that.
    std::chrono::duration<double> patience{60.0};
};

constexpr std::chrono::duration<double> leastPatience{5.0};

struct DeviceProcessEnd {
    std::int64_t status = 0;
    int signal = 0;
    // Why it was ended: "the driver's vkQueueSubmit did not return within 60 s (--timeout)"; empty: it ended itself.
    std::string overdue = {};
    std::string who = {}, call = {};  // as a crash told of itself (cli/CrashNews.h)

    std::string text() const;  // "signal 11 (segmentation fault)"
    // Before it said that it was done, while doing this: "the driver ended a2's device process with signal 11
    // (segmentation fault) while judging, in vkQueueSubmit".
    std::string story(const std::string& phase) const;
    bool isOwnFault() const { return overdue.empty() && who == "a2"; }  // of a2's own code
};

// Starts one with the user's arguments and this program's standard streams, passes on its messages and their answers,
// and returns when it has ended; what `hear` throws ends it, and so does the end of patience: every wait has an end.
// Throws EnvironmentError where it cannot be started.
DeviceProcessEnd runDeviceProcess(const Call& call, const DeviceRequest& request, const HearDevice& hear);

// Something that does as runDeviceProcess does.
using RunDevice = std::function<DeviceProcessEnd(const Call&, const DeviceRequest&, const HearDevice&)>;

// Those that whoever started this program had ignored, which a new process is not otherwise told.
std::vector<int> ignoredSignals();

}  // namespace a2
