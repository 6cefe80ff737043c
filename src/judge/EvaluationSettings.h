// What the user chose for an evaluation, and what follows from the choice alone.
#pragma once

#include "judge/Outcome.h"
#include "judge/Schedule.h"
#include "judge/Series.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct EvaluationSettings {
    std::uint64_t size = 0;                            // elements
    std::uint64_t peakSize = 0;                        // elements of the arrays on which the copy kernel is timed
    std::optional<double> copyPeakGBps;                // if it was measured already
    std::optional<Pattern> pattern;                    // run and bench: random if not given; check: only this one
    std::uint64_t seed = 1;                            // of the random pattern
    std::optional<std::uint32_t> workGroup, elements;  // instead of each task's defaults
    bool exclusive = false;
    unsigned repeat = 10;
    std::optional<double> maxSeconds;
    Timer timer = Timer::gpu;
    std::optional<LowerLimits> lowerLimits;            // limits to use instead of the device's own
    std::optional<Schedule> schedule;                  // of kernels on the host; empty: all usual ones are tried
    bool course = false;                               // only lengths that are powers of two
    PrintSettings print;                               // for the output of kernels
    bool strict = false;                               // a criterion of the method that is unmet fails the task
    std::optional<std::uint64_t> onlySize;             // check: only this length
    std::uint64_t upTo = UINT64_MAX;                   // check, bench: lengths up to this one
    bool sweepSizes = false, sweepWorkGroups = false;  // bench
    unsigned batch = 1;                                // bench: runs per command buffer
    unsigned inFlight = 1;                             // bench: how many runs need not wait for each other
    std::vector<unsigned> sharing;  // bench with several ranks: how many share the array; default: all
    bool weak = false;              // ... each rank has `size` elements, not a part of them
    std::string program = "a2";     // the user's name for it, in commands that are printed
    std::string moreOptions;        // options for them beside a case's own: " --shader-dir mine -d cpu"
};

// The series of single runs that these settings ask for, on this device.
SeriesSettings seriesOn(const Device& gpu, const EvaluationSettings& chosen);

// The command that shows a case step by step, for pasting into a shell: "build/a2 steps reduce/atomic -n 16 ...".
std::string stepsCommand(const Task& task, const CaseOutcome& one, const EvaluationSettings& settings);

}  // namespace a2
