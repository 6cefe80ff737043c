// The frames between the a2 that the user starts and its device process: the same program,
// started with `deviceProcessWord` before the user's own arguments, with a two-way pipe as its descriptor 3.
//
// Frames both ways: 8 bytes of length, little-endian, and as many bytes. The device's process gets two: the request,
// as CBOR, and the numbers of the file of --pattern, as they lie in memory. It sends messages, as CBOR: objects
// whose "is" gives their kind:
//
//     note, progress, print   text: to be shown by the terminal of the a2 that the user started
//     leftover                path, folder, kept: what must not stay behind (files/Leftover.h)
//     context                 context: of the reports
//     peak                    GBps: of the copy kernel, 0 if it could not be timed
//     begin                   row, case: what is worked on from here on
//     phase                   text: which part of it
//     case                    row, case: of a2 bench, finished
//     outcome                 outcome: of a row, finished
//     dispatches              json: of a2 steps (report/Report.h)
//     meet                    sum, reals, size, what, sharing, halt, last: judge/Part.h's Brought
//     gather                  part: what this rank has found
//     alive                   call, seconds: twice a second. The driver's function that it is in, empty for none, and
//                             for how long
//     crash                   who, call: a signal is about to end it (cli/CrashNews.h)
//     done                    status, message: the last one, with the exit status and the text for stderr
//
// Two of them are answered, as CBOR: `meet` with before, whole, realsBefore, size, halt, last, exchangeMs, of Met, and
// `gather` with an array: on rank 0 what all ranks have found, by rank; on the others an empty one.
#pragma once

#include "judge/Outcome.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace a2 {

// Not meant to be typed, so --help does not list it.
constexpr const char* deviceProcessWord = "--work-the-device-for-a2";
constexpr int devicePipe = 3;

struct DeviceRequest {
    std::vector<TaskOutcome> rows;  // without a verdict, with the cases of a2 bench that were shown
    std::uint64_t seed = 1;         // so that a second process uses the same numbers
    std::optional<double> copyPeakGBps;
    std::vector<int> ignoredSignals;
    std::vector<std::uint32_t> fileValues;  // of the file of --pattern, which may be a pipe
    // If an array is shared by several ranks (cli/Ranks.h): this rank, its number among those on this machine, and how
    // many these are.
    std::optional<Part> part;
    unsigned rankHere = 0, ranksOnHost = 1;
};

nlohmann::json wireOf(const Brought& brought);
nlohmann::json wireOf(const Met& met);
// Throw nlohmann::json::exception for anything else.
Brought broughtFrom(const nlohmann::json& json);
Met metFrom(const nlohmann::json& json);

// Receives the messages of a device's process, and returns the answers; null: none.
using HearDevice = std::function<nlohmann::json(const nlohmann::json& message)>;

// Its two frames.
std::vector<std::uint8_t> framesOf(const DeviceRequest& request);
// Throws nlohmann::json::exception or Error for anything else.
DeviceRequest requestFrom(const std::vector<std::uint8_t>& request, const std::vector<std::uint8_t>& values);

std::vector<std::uint8_t> frameOf(const nlohmann::json& message);

}  // namespace a2
