// What a2 asks a worker for, and what the worker answers.
#pragma once

#include "recording/Recording.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace a2 {

// The device that a recording is made for, as the solution's code sees it. The process that records has no device.
struct DeviceFacts {
    std::vector<std::uint8_t> properties;  // VkPhysicalDeviceProperties, as it lies in memory
    bool int64Atomics = false, subgroupArithmetic = false;
    std::uint32_t subgroupSize = 0;
    bool operator==(const DeviceFacts&) const = default;
};

struct RecordRequest {
    std::string task;     // its id
    std::string factory;  // its name in the student library
    std::string file;     // the file under src/ that has it
    std::vector<std::string> shaders;
    KernelShape shape;
    std::uint64_t count = 0;        // n
    std::uint64_t offsetCount = 0;  // elements of blockOffsets; 0: solutions get none
    std::uint32_t runs = 1;         // calls of record()
    DeviceFacts device;
    bool alone = false;  // record in a process that has recorded nothing before, and fills no memory; not sent to it
    bool operator==(const RecordRequest&) const = default;
};

// Why there is no recording.
struct RecordFailure {
    enum class Kind : std::uint8_t {
        threw,    // the solution's code threw an exception
        memory,   // the same, for lack of memory or beyond a limit: its own fault, as no device or input is there
        ended,    // it ended the process: a signal, exit()
        timeout,  // it did not end in time
        tooMuch,  // it recorded more than a recording may hold
        broken,   // a file of its host code does not compile, or does not link
    };
    Kind kind = Kind::threw;
    std::string phase;  // "preparing", "recording run 2", "asked for the result"; empty: before all of them
    std::string what;   // one line
    std::string call;   // the solution's last Vulkan call, if it is known
    bool operator==(const RecordFailure&) const = default;
};

using RecordAnswer = std::variant<Recording, RecordFailure>;

// How much a recording may hold. These limits are generous: the longest recording of the course has some hundred
// commands.
struct RecordingLimits {
    std::uint64_t commands = 1'000'000;              // of all runs
    std::uint64_t objects = 1'000'000;               // buffers, layouts, pipelines and sets
    std::uint64_t bytes = std::uint64_t{256} << 20;  // of the file form
};

}  // namespace a2
