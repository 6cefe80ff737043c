// The errors, sorted by what the user can do about them. Each kind has its exit status; main() has the one handler. A
// message says in one line what failed, on what, and what to do.
#pragma once

#include <stdexcept>
#include <string>

namespace a2 {

enum class ExitStatus : int { passed = 0, failed = 1, usage = 2, environment = 3, device = 4, internal = 5 };

class Error : public std::runtime_error {
public:
    Error(ExitStatus status, const std::string& message) : std::runtime_error(message), status_(status) {}
    ExitStatus status() const { return status_; }

private:
    ExitStatus status_;
};

// The command line asks for something that does not exist or cannot be read.
struct UsageError : Error {
    explicit UsageError(const std::string& message) : Error(ExitStatus::usage, message) {}
};
// The machine lacks a loader, a device, a layer, a shader.
struct EnvironmentError : Error {
    explicit EnvironmentError(const std::string& message) : Error(ExitStatus::environment, message) {}
};
// The device was lost, refused or did not finish its work, or did not finish it in time. It may still be at work:
// nothing on it may be used or destroyed any more.
struct DeviceError : Error {
    DeviceError(const std::string& message, bool timedOut) : Error(ExitStatus::device, message), timeout(timedOut) {}
    bool timeout;
};
// A kernel does not compile, or cannot be started like this: the task fails with this message.
struct KernelError : Error {
    explicit KernelError(const std::string& message) : Error(ExitStatus::failed, message) {}
};
// The device cannot hold or start what was asked for; the task is SKIPPED with this message.
struct LimitError : Error {
    explicit LimitError(const std::string& message) : Error(ExitStatus::environment, message) {}
};

}  // namespace a2
