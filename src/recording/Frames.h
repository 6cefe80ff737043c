// The data in the pipes between a2 and the process that student code runs in.
//
// To the worker: requests, each 8 bytes of length and toBytes(RecordRequest). From the worker: frames, each 1 byte of
// kind, 8 bytes of length and the content. Lengths are little-endian. A worker sends its version as soon as it runs,
// `ready` once its library is loaded, and for each request any number of phases and one answer.
#pragma once

#include "recording/Request.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace a2 {

// a2, its worker and the library of solutions must have the same version. Increase it with each change of these frames,
// of the output of toBytes(), or of a2Serve().
constexpr unsigned workerVersion = 3;

enum class Frame : std::uint8_t {
    version = 'v',   // text: workerVersion. Always first, so that it can be read whatever else has changed
    trouble = 'e',   // text: why the library cannot be used
    ready = 'r',     // empty: the library is loaded
    phase = 'p',     // text: what begins now
    answer = 'a',    // toBytes(RecordAnswer)
    lastCall = 'l',  // text: lastVulkanCall(), when a signal ends the process
};

constexpr std::size_t lengthBytes = 8, frameHead = 1 + lengthBytes;
constexpr std::size_t mostText = 4096;  // bytes, in all frames except an answer

inline void putLength(std::uint64_t length, std::uint8_t* to)
{
    for (std::size_t i = 0; i < lengthBytes; ++i) to[i] = static_cast<std::uint8_t>(length >> (8 * i));
}

inline std::uint64_t lengthFrom(const std::uint8_t* bytes)
{
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < lengthBytes; ++i) length |= std::uint64_t{bytes[i]} << (8 * i);
    return length;
}

// The exit status of a worker that cannot answer, because student code closed its pipe.
constexpr int pipeLost = 113;

// The arguments of a worker, after the path of its library and in this order. After them: 1 if memory that it allocates
// is filled with a pattern, else 0.
struct ServeLimits {
    std::uint64_t seconds = 0;  // of wall clock and of CPU time, for one request
    std::uint64_t memoryBytes = 0;
    RecordingLimits recording;
};

}  // namespace a2

// The exports of the library of solutions. Handles are file descriptors, or HANDLEs on Windows. When no more requests
// can come, a2Serve returns an exit status.
extern "C" {
using A2WorkerVersion = unsigned();
using A2Serve = int(std::intptr_t requests, std::intptr_t answers, const a2::ServeLimits* limits);
}
