#include "annexes/obstacles/ObstacleFinder.h"

#include "A2Labs.h"
#include "gpu/SingleDispatch.h"
#include "gpu/Staging.h"
#include "gpu/TimedRun.h"
#include "judge/LookInside.h"
#include "judge/OwnLog.h"
#include "judge/StudentSolution.h"
#include "judge/WatchedMemory.h"
#include "lint/Lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace a2 {

namespace {

constexpr KernelShape onePerBeam{128, 2};  // the smallest maximum that a device may have

std::vector<std::uint32_t> fetch(Device& gpu, const DeviceBuffer& buffer, std::uint64_t count)
{
    std::vector<std::uint32_t> values(count);
    fillHost(gpu, buffer, values);
    return values;
}

void addFindings(std::vector<Finding> from, std::vector<Finding>& to)
{
    to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
}

}  // namespace

FoundObstacles findObstacles(Device& gpu, const KernelShape& shape, std::span<const float> distances, float maxDistance)
{
    const std::uint64_t n = distances.size();
    if (n == 0) return {};
    const std::uint64_t most = ceilDiv(n, 2);  // obstacles: one beam each, and one between them
    const DeviceBuffer sweep(gpu, "distances", n);
    WatchedMemory memory(gpu, [&sweep](const DeviceMemory* buffer) { return buffer == sweep.memory(); });
    const DeviceBuffer flags(gpu, "flags", n), starts(gpu, "starts", n);
    const DeviceBuffer firsts(gpu, "first beams", most), lasts(gpu, "last beams", most);
    const auto count = static_cast<uint>(n);
    const WorkGroups groups = gpu.groupsFor(n, onePerBeam.workGroup);
    const SingleDispatch<ObstacleFlagsPush> threshold(gpu, "A2LabObstacleFlags", onePerBeam, {sweep, flags, starts},
                                                      {count, maxDistance}, groups, "A2LabObstacleFlags");
    const Task scan = selectTasks({"scan/brent-kung"}, false).front();
    StudentSolution readings(gpu, scan, shape, flags, nullptr, n);
    StudentSolution numbers(gpu, scan, shape, starts, nullptr, n);
    const SingleDispatch<ObstacleRunsPush> runs(gpu, "A2LabObstacleRuns", onePerBeam,
                                                {numbers.result(), flags, firsts, lasts}, {count}, groups,
                                                "A2LabObstacleRuns");

    upload(gpu, sweep, n, [&](std::uint64_t first, std::span<std::uint32_t> chunk) {
        std::transform(distances.begin() + static_cast<std::ptrdiff_t>(first),
                       distances.begin() + static_cast<std::ptrdiff_t>(first + chunk.size()), chunk.begin(),
                       [](float one) { return std::bit_cast<std::uint32_t>(one); });
    });
    TimedRun timed(gpu);
    const auto scans = [&](Commands& cb) {
        threshold.record(cb);
        waitForWrites(cb);
        readings.record(cb);  // the two scans share no written buffer
        numbers.record(cb);
    };
    const auto search = [&](Commands& cb) {
        scans(cb);
        waitForWrites(cb);
        runs.record(cb);
    };
    const auto nothing = [](const auto&) {};
    FoundObstacles first;
    // Each kernel is walked before the device runs it, whose driver it might crash.
    const auto survives = [&first](Inside inside) {
        addFindings(std::move(inside.findings), first.findings);
        return !inside.endangers;
    };
    if (!survives(lookInside(workloadOf(gpu, scan), n, shape)) || !survives(lookInside(gpu, threshold))) return first;
    std::vector<Finding> alone;  // they are found again below
    memory.run(timed, Timer::gpu, nothing, scans, nothing, alone);
    if (!survives(lookInside(gpu, runs))) {
        first.flags = fetch(gpu, flags, n);
        first.readings = fetch(gpu, readings.result(), n);
        return first;
    }
    for (unsigned run = 0; run < StudentSolution::runsRecorded; ++run) {
        FoundObstacles found;
        found.searched = true;
        memory.run(timed, Timer::gpu, nothing, search, nothing, found.findings);
        const auto lintOwn = [&found](const OwnDispatch& one, const DeviceBuffer& result) {
            addFindings(lint(logOf(one), {indexOf(one, result)}), found.findings);
        };
        lintOwn(threshold, flags);
        lintOwn(runs, firsts);
        for (const StudentSolution* one : {&readings, &numbers})
            addFindings(lint(one->log(), {one->resultIndex()}), found.findings);
        if (run == 0) addFindings(std::move(first.findings), found.findings);
        memory.takeMessages(found.findings);

        found.flags = fetch(gpu, flags, n);
        found.readings = fetch(gpu, readings.result(), n);
        const std::uint32_t total = fetch(gpu, numbers.result(), n).back();
        const std::uint64_t listed = std::min<std::uint64_t>(total, most);  // more would mean a wrong scan
        const std::vector<std::uint32_t> begins = fetch(gpu, firsts, listed), ends = fetch(gpu, lasts, listed);
        for (std::uint64_t i = 0; i < listed; ++i)
            found.obstacles.push_back({begins[i], std::uint64_t{ends[i]} - begins[i] + 1});
        if (run == 0)
            first = std::move(found);
        else if (!found.isAs(first))
            first.findings.push_back(
                {"stale-state",
                 fmt::format("run {} of the same search found something else than the first", run + 1),
                 {}});
        else if (anyFails(found.findings))
            first.findings = std::move(found.findings);
        if (anyFails(first.findings)) break;
    }
    return first;
}

}  // namespace a2
