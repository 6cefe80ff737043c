#include "judge/WatchedMemory.h"

#include "lint/Lint.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace a2 {

WatchedMemory::WatchedMemory(Device& gpu, std::function<bool(const DeviceMemory*)> isGiven)
    : gpu_(gpu), isGiven_(std::move(isGiven)), firstBuffer_(gpu.buffersMade)
{
}

std::vector<LiveBuffer> WatchedMemory::buffers() const
{
    std::vector<LiveBuffer> mine;
    for (const LiveBuffer& live : gpu_.liveBuffers)
        if (isGiven_(live.memory) || (live.number >= firstBuffer_ && live.memory != own_)) mine.push_back(live);
    return mine;
}

void WatchedMemory::draw()
{
    poison_ = words_.next() | bits_;
    guard_ = words_.next();
}

void WatchedMemory::recordPoison(Commands& cb) const
{
    for (const LiveBuffer& live : buffers()) {
        if (live.guardBytes) {
            cb.fill(*live.memory, 0, live.guardBytes, guard_);
            cb.fill(*live.memory, live.guardBytes + live.payloadBytes, live.guardBytes, guard_);
        }
        if (!isGiven_(live.memory) && live.lifetime == Lifetime::run)
            cb.fill(*live.memory, live.guardBytes, live.payloadBytes, poison_);
    }
}

std::vector<Region> WatchedMemory::guardRegions() const
{
    std::vector<Region> regions;
    for (const LiveBuffer& live : buffers()) {
        if (!live.guardBytes) continue;
        regions.push_back({live.memory, 0, wordsPerGuard});
        regions.push_back({live.memory, DeviceBuffer::guardBytes + live.payloadBytes, wordsPerGuard});
    }
    return regions;
}

void WatchedMemory::checkGuards(std::span<const std::uint32_t> words, std::vector<Finding>& findings) const
{
    std::size_t at = 0;
    for (const LiveBuffer& live : buffers()) {
        if (!live.guardBytes) continue;
        for (const bool behind : {false, true}) {
            const auto guard = words.subspan(at, wordsPerGuard);
            at += wordsPerGuard;
            const auto spoilt = std::find_if(guard.begin(), guard.end(), [&](std::uint32_t w) { return w != guard_; });
            if (spoilt == guard.end()) continue;
            const auto position = static_cast<std::uint64_t>(spoilt - guard.begin());
            const std::uint64_t elements = live.elements();
            const std::string message =
                behind ? fmt::format("element {} of buffer '{}' was written, which has {} elements",
                                     elements + position, live.name, elements)
                       : fmt::format("{} words before the start of buffer '{}' were written over",
                                     wordsPerGuard - position, live.name);
            findings.push_back({"out-of-bounds", message + "; guard the access with a condition on the index", {}});
        }
    }
}

void WatchedMemory::takeMessages(std::vector<Finding>& findings) const
{
    for (std::string& message : gpu_.instance.messages().take())
        findings.push_back({"validation", std::move(message), {}});
}

WatchedMemory::Looked WatchedMemory::run(TimedRun& timed, Timer timer, const Record& before, const Record& work,
                                         const std::function<void(std::vector<Region>&)>& gather,
                                         std::vector<Finding>& findings)
{
    draw();
    // Guards, and other regions that are small, are read back in the same submit.
    std::vector<Region> regions = guardRegions();
    Looked looked;
    looked.guardWords = regions.size() * wordsPerGuard;
    looked.time = timed.run(
        timer,
        [&](Commands& cb) {
            recordPoison(cb);
            before(cb);
        },
        work,
        [&](Commands& cb) {
            gather(regions);
            recordGather(gpu_, cb, regions);
        });
    checkGuards(gathered(gpu_, looked.guardWords), findings);
    return looked;
}

RunTime WatchedMemory::runOwn(TimedRun& timed, Timer timer, Runnable& work, std::vector<Finding>& findings)
{
    const auto record = [&](Commands& cb) { work.record(cb); };
    const auto nothing = [](const auto&) {};
    const RunTime time = run(timed, timer, nothing, record, nothing, findings).time;
    for (Finding& finding : lint(work.log(), {work.resultIndex()})) findings.push_back(std::move(finding));
    takeMessages(findings);
    return time;
}

}  // namespace a2
