// Runs another program to its end, with limits, which hold from just after its start. No shell has a part in it: each
// argument arrives as it was given.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

struct ProcessLimits {
    std::chrono::milliseconds time{60'000};              // of wall clock; then the program is killed
    std::uint64_t memoryBytes = std::uint64_t{2} << 30;  // of address space (Linux)
    std::uint64_t fileBytes = std::uint64_t{2} << 30;    // of each file that it writes (Linux)
    std::size_t outputBytes = 1 << 20;                   // kept; what the program says beyond is read and dropped
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

// How a process ended that libuv tells of: "exit status 3", "signal 11 (segmentation fault)"; on Windows an exception's
// code, too.
std::string endText(std::int64_t status, int signal);

// The path of this program, as UTF-8; empty where the system does not tell: `problem` is why.
std::string ownProgram(std::string& problem);

// Starts a program that goes on alone, whatever becomes of this one, without standard streams. Nothing where that
// cannot be started.
void startAlone(const std::string& program, const std::vector<std::string>& arguments);

// program: a path, or a name that is looked up in PATH. stdin is empty. Text is UTF-8. Never throws but for lack of
// memory.
ProcessResult runProcess(const std::string& program, const std::vector<std::string>& arguments,
                         const ProcessLimits& limits = {});

}  // namespace a2
