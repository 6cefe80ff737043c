// The process that student code runs in, as a2 sees it.
#pragma once

#include "recording/Request.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace a2 {

struct WorkerLimits {
    std::chrono::milliseconds time{8'000};  // wall clock of one request
    // A check makes a thousand requests. Beyond `brief`, the times of all that a solution gets are added up, without
    // what its process waits for a processor; no more is asked of it after `together`.
    std::chrono::milliseconds brief{200}, together{60'000};
    std::uint64_t memoryBytes = std::uint64_t{4} << 30;  // of address space (Linux)
    RecordingLimits recording;
};

struct WorkerPrograms {
    std::filesystem::path worker;   // a2_worker
    std::filesystem::path library;  // the solutions, a shared library
    // A program that starts the worker: it gets the worker's path and arguments, and runs it with its own standard
    // streams. Empty: the worker is started directly.
    std::string jail = {};
    // Files of solutions that are not in the library, and why (FolderBuild.h): their rows report it.
    std::map<std::string, std::string> broken = {};
};

// The worker lies beside the running program, or in its package. The library is the one named here or, if none is
// named, the one that buildFolder made of the student's folder. Throws EnvironmentError, in one line with what to do,
// if one is missing.
WorkerPrograms workerPrograms(const std::string& library = {});

// What a row reports whose file is not in the library.
std::optional<RecordFailure> failureOf(const WorkerPrograms& programs, const RecordRequest& request);

// One process that serves many requests. The first request starts it. If it ends, that is the answer to the request
// that it worked on, and the next request starts it again. It has no device, no driver and no input data, its standard
// input is empty, and its output goes to `said`, line by line.
class Worker {
public:
    using Said = std::function<void(const std::string& line)>;
    explicit Worker(WorkerPrograms programs, Said said = {}, const WorkerLimits& limits = {});
    ~Worker();  // ends the process
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The recording is checked (RecordingCheck.h), and has the task, length, shape and number of runs of the request;
    // anything else becomes a RecordFailure. Throws EnvironmentError for a worker or library that cannot be started or
    // loaded, or that has another version.
    RecordAnswer record(const RecordRequest& request);

private:
    class Process;
    struct Spent {
        unsigned requests = 0;
        std::chrono::nanoseconds time{0};  // beyond `brief` each
    };
    RecordAnswer answerTo(const RecordRequest& request);

    WorkerPrograms programs_;
    Said said_;
    WorkerLimits limits_;
    std::unique_ptr<Process> process_;
    std::map<std::string, Spent> spent_;  // by the solution's factory; the requests that were not brief
    std::chrono::nanoseconds waited_{0};  // by the process, during the last request
    bool wasAlone_ = false;               // it began with such a request
};

}  // namespace a2
