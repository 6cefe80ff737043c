#include "labs/prescan/DevicePrescan.h"

#include "base/Clock.h"
#include "gpu/Device.h"
#include "labs/prescan/PrescanWork.h"
#include "lint/Lint.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t wordsAtOnce = std::uint64_t{1} << 20;  // of the input, while it is judged

// The course's own row, or the same on floats.
Task rowFor(Element element)
{
    Task row = selectTasks({"scan/work-efficient"}, false).front();
    if (element == Element::uint32) return row;
    row.shaders = {"A2LabPrescanFloat", "A2LabPrescanFloatOffset"};
    return row;
}

Region part(const DeviceBuffer& buffer, std::uint64_t first, std::uint64_t words)
{
    return {buffer.handle(), buffer.firstByte() + first * sizeof(std::uint32_t), words};
}

}  // namespace

DevicePrescan::DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n)
    : gpu_(gpu), settings_(settings), n_(n), input_(gpu, "input", n), timed_(gpu)
{
}

double DevicePrescan::upload(std::span<const std::uint32_t> input)
{
    const auto start = Clock::now();
    fillDevice(gpu_, input_, input);
    return msSince(start);
}

void DevicePrescan::prepare()
{
    firstBuffer_ = gpu_.buffersMade;
    solution_ =
        std::make_unique<StudentSolution>(gpu_, rowFor(settings_.element), settings_.shape, input_, nullptr, n_);
}

DevicePrescan::Judged DevicePrescan::runAndJudge(const InputFacts& facts, Timer timer, std::span<std::uint32_t> keep)
{
    constexpr std::uint32_t poison = 0x7FC0A2A2;  // as a float not a number: what nobody wrote cannot pass
    const auto poisonAll = [&](vk::CommandBuffer cb) {
        for (const LiveBuffer& live : gpu_.liveBuffers)
            if (live.number >= firstBuffer_) cb.fillBuffer(live.handle, live.guardBytes, live.payloadBytes, poison);
    };
    Judged judged;
    judged.time = timed_.run(timer, poisonAll, [&](vk::CommandBuffer cb) { solution_->record(cb); });
    for (const Finding& finding : lint(solution_->log(), solution_->result().handle(), false))
        if (finding.severity == Severity::failure) judged.messages.push_back(finding.text());
    for (const std::string& message : gpu_.instance.messages().take())
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
