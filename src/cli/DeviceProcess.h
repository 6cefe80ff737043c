// The device process, as the a2 that the user started sees it. Whatever a driver does to that process does not affect
// this one.
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
    std::string jail = {};  // a program that starts the device's process from its command; empty: none
    // How long the process may give no sign of life, or be in one call of the driver. Values below leastPatience count
    // as leastPatience.
    std::chrono::duration<double> patience{60.0};
};

constexpr std::chrono::duration<double> leastPatience{5.0};

struct DeviceProcessEnd {
    std::int64_t status = 0;
    int signal = 0;
    // Why it was ended: "the driver's vkQueueSubmit did not return within 60 s (--timeout)"; empty: it ended by itself.
    std::string overdue = {};
    std::string who = {}, call = {};  // as reported by a crash (cli/CrashNews.h)

    std::string text() const;  // "signal 11 (segmentation fault)"
    // How it ended before it reported that it was done, during this phase: "the driver ended a2's device process with
    // signal 11 (segmentation fault) while judging, in vkQueueSubmit".
    std::string story(const std::string& phase) const;
    bool isOwnFault() const { return overdue.empty() && who == "a2"; }  // of a2's own code
};

// Starts one with the user's arguments and this program's standard streams, passes on its messages and their answers,
// and returns when it has ended. It is ended when `hear` throws and when patience runs out, so every wait ends. Throws
// EnvironmentError if it cannot be started.
DeviceProcessEnd runDeviceProcess(const Call& call, const DeviceRequest& request, const HearDevice& hear);

// A function with the interface of runDeviceProcess.
using RunDevice = std::function<DeviceProcessEnd(const Call&, const DeviceRequest&, const HearDevice&)>;

// Signals that were ignored when this program was started; libuv resets them in children.
std::vector<int> ignoredSignals();

}  // namespace a2
