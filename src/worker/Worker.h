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
    std::chrono::milliseconds time{8'000};               // wall clock of one request
    std::uint64_t memoryBytes = std::uint64_t{4} << 30;  // of address space (Linux)
    RecordingLimits recording;
};

struct WorkerPrograms {
    std::filesystem::path worker;   // a2_worker
    std::filesystem::path library;  // the solutions, a shared library
    // A program that starts the worker: it is given the worker's path and arguments, and runs that with its own
    // standard streams. Empty: none does.
    std::string jail = {};
    // Files of solutions that are not in the library, and why (FolderBuild.h): what their rows are told.
    std::map<std::string, std::string> broken = {};
};

// Beside the running program, or of its package; the library is this one, if one is named, or what buildFolder left of
// the student's folder. Throws
// EnvironmentError, in one line with what to do, if one is missing.
WorkerPrograms workerPrograms(const std::string& library = {});

// What a row is told whose file is not in the library.
std::optional<RecordFailure> failureOf(const WorkerPrograms& programs, const RecordRequest& request);

// One process that serves many requests. It is started by the first one, and again after it has come to an end, which
// is then the answer to the request that it worked on. It has no device, no driver and no input data, its standard
// input is empty, and what it prints goes to `said`, line by line.
class Worker {
public:
    using Said = std::function<void(const std::string& line)>;
    explicit Worker(WorkerPrograms programs, Said said = {}, const WorkerLimits& limits = {});
    ~Worker();  // ends the process
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The recording is checked (RecordingCheck.h) and is of the task, length, shape and number of runs asked for; what
    // is not, is a RecordFailure. Throws EnvironmentError for a worker or library that cannot be started or loaded, or
    // is of another version.
    RecordAnswer record(const RecordRequest& request);

private:
    class Process;
    WorkerPrograms programs_;
    Said said_;
    WorkerLimits limits_;
    std::unique_ptr<Process> process_;
};

}  // namespace a2
