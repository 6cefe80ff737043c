#include "labs/DevicePrescan.h"

#include "Clock.h"
#include "TaskRows.h"
#include "a2/A2Task2.h"
#include "evaluate/StudentSolution.h"
#include "gpu/GpuState.h"
#include "labs/PrescanWork.h"
#include "observe/Lint.h"
#include "observe/Observing.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

A2Task2Factory makeWorkEfficient;  // src/A2Task2Solution/KernelDecomposition.cpp

namespace {

constexpr std::uint64_t wordsAtOnce = std::uint64_t{1} << 20;  // of the input, while it is judged

// The course's own row, or the same on floats.
Task rowFor(Element element)
{
    Task row = selectTasks({"scan/work-efficient"}, false).front();
    if (element == Element::uint32) return row;
    row.shaders = {"A2LabPrescanFloat", "A2LabPrescanFloatOffset"};
    row.prepare = PreparedBy<A2Task2Factory>{makeWorkEfficient, row.shaders};
    return row;
}

Region part(const Buffer& buffer, std::uint64_t first, std::uint64_t words)
{
    return {buffer.handle(), buffer.firstByte() + first * sizeof(std::uint32_t), words};
}

}  // namespace

DevicePrescan::DevicePrescan(Gpu& gpu, const PrescanSettings& settings, std::uint64_t n)
    : gpu_(gpu), settings_(settings), n_(n), input_(gpu, "input", n), timed_(gpu), log_(gpu.state())
{
}

double DevicePrescan::upload(std::span<const std::uint32_t> input)
{
    const auto start = Clock::now();
    fillDeviceWithStagingBuffer(gpu_, input_, input);
    return msSince(start);
}

void DevicePrescan::prepare()
{
    firstBuffer_ = gpu_.state().buffersMade;
    const Observing observing(log_);  // for the descriptor sets
    solution_ =
        std::make_unique<StudentSolution>(gpu_, rowFor(settings_.element), settings_.shape, input_, nullptr, n_);
}

DevicePrescan::Judged DevicePrescan::runAndJudge(const InputFacts& facts, Timer timer, std::span<std::uint32_t> keep)
{
    constexpr std::uint32_t poison = 0x7FC0A2A2;  // as a float not a number: what nobody wrote cannot pass
    const auto poisonAll = [&](vk::CommandBuffer cb) {
        for (const LiveBuffer& live : gpu_.state().liveBuffers)
            if (live.number >= firstBuffer_) cb.fillBuffer(live.handle, live.guardBytes, live.payloadBytes, poison);
    };
    Judged judged;
    judged.time = timed_.run(timer, poisonAll, [&](vk::CommandBuffer cb) {
        log_.beginRecording();
        const Observing observing(log_);
        solution_->record(cb);
    });
    for (const Finding& finding : lint(log_, solution_->result().handle(), false))
        judged.messages.push_back(finding.text());
    for (const std::string& message : gpu_.state().instance.messages().take())
        judged.messages.push_back(fmt::format("validation: {}", message));

    // The input comes from the device again: so no third array is needed beside the two there. It must be what it was.
    PrescanJudge judge(settings_, facts, prescanWork(n_, settings_.shape).depth);
    InputLook look(settings_.element);
    std::vector<std::uint32_t> input(std::min(n_, wordsAtOnce));
    for (std::uint64_t first = 0; first < n_; first += wordsAtOnce) {
        const std::uint64_t words = std::min(wordsAtOnce, n_ - first);
        download(gpu_, part(input_, first, words), [&](std::uint64_t, std::span<const std::uint32_t> chunk) {
            std::copy(chunk.begin(), chunk.end(), input.begin());
        });
        look.look({input.data(), words});
        download(gpu_, part(solution_->result(), first, words),
                 [&](std::uint64_t, std::span<const std::uint32_t> chunk) {
                     if (keep.empty()) return judge.look({input.data(), words}, chunk);
                     const std::span<std::uint32_t> kept = keep.subspan(first, words);
                     std::copy(chunk.begin(), chunk.end(), kept.begin());
                     judge.look({input.data(), words}, kept);
                 });
    }
    judged.verdict = judge.verdict();
    judged.verdict.inputChanged = look.facts().fingerprint != facts.fingerprint;
    return judged;
}

DeviceTimes DevicePrescan::time(const SeriesSettings& settings)
{
    const auto record = [&](vk::CommandBuffer cb) { solution_->record(cb); };
    return timeOnDevice([&](Timer timer) { return timed_.run(timer, {}, record); }, settings);
}

double DevicePrescan::timeDownload()
{
    std::vector<std::uint32_t> host(std::min(n_, stagingWords));
    const auto start = Clock::now();
    download(gpu_, solution_->result(), n_, [&](std::uint64_t, std::span<const std::uint32_t> chunk) {
        std::copy(chunk.begin(), chunk.end(), host.begin());
    });
    return msSince(start);
}

}  // namespace a2
