// Runs another program to its end, with limits that hold from its start for all processes that it starts. No shell is
// involved: each argument arrives unchanged.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct ProcessLimits {
    std::chrono::milliseconds time{60'000};              // of wall clock; then it is killed, with all it has started
    std::uint64_t memoryBytes = std::uint64_t{2} << 30;  // of address space (Linux)
    std::uint64_t fileBytes = std::uint64_t{2} << 30;    // of each file that it writes (Linux)
    std::size_t outputBytes = 1 << 20;                   // kept; further output is read and dropped
};

struct ProcessResult {
    enum class Ended { exited, signalled, timedOut, notStarted };
    Ended ended = Ended::notStarted;
    int status = 0;       // exited: the exit status; signalled: the signal's number
    std::string output;   // stdout and stderr, in the order in which they came
    std::string problem;  // notStarted: why, in the system's words

    bool succeeded() const { return ended == Ended::exited && status == 0; }
    // "exit status 3", "signal 11", "60 s were not enough", "it could not be started: no such file or directory"
    std::string howItEnded(const ProcessLimits& limits) const;
};

// How a process ended, from what libuv reports: "exit status 3", "signal 11 (segmentation fault)"; on Windows also an
// exception's code.
std::string endText(std::int64_t status, int signal);

// The path of this program, as UTF-8. Empty where the system does not give it; then `problem` says why.
std::string ownProgram(std::string& problem);

// Starts a program without standard streams that runs on even if this one ends. Does nothing where it cannot be
// started.
void startAlone(const std::string& program, const std::vector<std::string>& arguments);

// program: a path, or a name that is looked up in PATH. stdin is empty. Text is UTF-8. Throws only for lack of memory.
ProcessResult runProcess(const std::string& program, const std::vector<std::string>& arguments,
                         const ProcessLimits& limits = {});

}  // namespace a2
