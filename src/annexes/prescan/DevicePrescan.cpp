#include "annexes/prescan/DevicePrescan.h"

#include "annexes/prescan/PrescanWork.h"
#include "base/Clock.h"
#include "gpu/Device.h"
#include "judge/EmulatedLook.h"
#include "judge/LookInside.h"
#include "judge/LowerLimits.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t wordsAtOnce = std::uint64_t{1} << 20;  // of the input, while it is judged

}  // namespace

Task prescanRow(const ElementType& element) { return selectTasks({"scan/work-efficient"}, false, element).front(); }

DevicePrescan::DevicePrescan(Device& gpu, const PrescanSettings& settings, std::uint64_t n, bool laterPart)
    : gpu_(gpu),
      settings_(settings),
      n_(n),
      input_(gpu, "input", n),
      offset_(laterPart ? std::optional<PartOffset>(std::in_place, gpu, n, prescanRow(*settings.element).shaders.back())
                        : std::nullopt),
      memory_(gpu, [this](const DeviceMemory* buffer) { return buffer == input_.memory(); }),
      timed_(gpu)
{
    constexpr std::uint32_t quietNaN = 0x7FC00000;
    if (settings.element->isReal) memory_.always(quietNaN);  // unwritten memory cannot pass
}

double DevicePrescan::upload(std::span<const std::uint32_t> input)
{
    const auto start = Clock::now();
    fillDevice(gpu_, input_, input);
    return msSince(start);
}

void DevicePrescan::prepare()
{
    solution_ =
        std::make_unique<StudentSolution>(gpu_, prescanRow(*settings_.element), settings_.shape, input_, nullptr, n_);
}

// The input is read back from the device, so that no third array is needed beside the two there. It must be unchanged.
PrescanVerdict DevicePrescan::judgeResult(PrescanJudge judge, const InputFacts& facts,
                                          std::span<std::uint32_t> keep) const
{
    InputLook look(*settings_.element);
    std::vector<std::uint32_t> input(std::min(n_, wordsAtOnce));
    for (std::uint64_t first = 0; first < n_; first += wordsAtOnce) {
        const std::uint64_t words = std::min(wordsAtOnce, n_ - first);
        download(gpu_, input_.region(first, words), [&](std::uint64_t, std::span<const std::uint32_t> chunk) {
            std::copy(chunk.begin(), chunk.end(), input.begin());
        });
        look.look({input.data(), words});
        download(gpu_, solution_->result().region(first, words),
                 [&](std::uint64_t, std::span<const std::uint32_t> chunk) {
                     if (keep.empty()) return judge.look({input.data(), words}, chunk);
                     const std::span<std::uint32_t> kept = keep.subspan(first, words);
                     std::copy(chunk.begin(), chunk.end(), kept.begin());
                     judge.look({input.data(), words}, kept);
                 });
    }
    PrescanVerdict verdict = judge.verdict();
    verdict.inputChanged = look.facts().fingerprint != facts.fingerprint;
    return verdict;
}

// Of the last run's result.
Digest DevicePrescan::digest()
{
    if (!digests_) {
        digests_.emplace(gpu_, 1);
        memory_.leaveOut(digests_->memory());
    }
    timed_.run(
        Timer::host, [](Commands&) {}, [&](Commands& cb) { digests_->record(cb, 0, solution_->result(), n_); },
        [&](Commands& cb) { recordGather(gpu_, cb, {digests_->region(0)}); });
    const std::span<const std::uint32_t> words = gathered(gpu_, 2);
    return {words[0], words[1]};
}

// A second time with a few tiles in place of a folded dispatch, with work-groups that have no tile.
Inside DevicePrescan::lookInsideTwice()
{
    const Workload work = workloadOf(gpu_, prescanRow(*settings_.element));
    Inside inside = lookInside(work, n_, settings_.shape);
    const std::uint64_t tiles = foldedTiles * settings_.shape.tile();
    if (anyFails(inside.findings) || tiles > std::min(n_, largestOnHost)) return inside;
    const WithLowerLimits folded(gpu_, foldsSoon);
    Inside more = lookInside(work, tiles, settings_.shape);
    return anyFails(more.findings) ? more : inside;
}

DevicePrescan::Judged DevicePrescan::runAndJudge(const InputFacts& facts, Timer timer, std::span<std::uint32_t> keep)
{
    Judged judged;
    Inside inside = lookInsideTwice();
    std::vector<Finding>& findings = inside.findings;
    if (!inside.endangers) {
        judged.time = memory_.runOwn(timed_, timer, *solution_, findings);
        const std::uint64_t depth = prescanWork(n_, settings_.shape).depth;
        judged.verdict = judgeResult(PrescanJudge(settings_, facts, depth), facts, keep);
    }
    if (judged.verdict.passed() && !anyFails(findings)) {
        const Digest first = digest();
        for (unsigned run = 2; run <= StudentSolution::runsRecorded && !anyFails(findings); ++run) {
            memory_.runOwn(timed_, Timer::host, *solution_, findings);
            if (digest() != first)
                findings.push_back({"stale-state",
                                    fmt::format("run {} of the same object left another result than the first", run),
                                    {}});
        }
    }
    for (const Finding& finding : findings)
        if (finding.severity == Severity::failure) judged.messages.push_back(finding.text());
    return judged;
}

RunTime DevicePrescan::runAlone(Timer timer)
{
    return timed_.run(timer, {}, [&](Commands& cb) { solution_->record(cb); });
}

DeviceTimes DevicePrescan::time(const SeriesSettings& settings)
{
    return timeOnDevice([&](Timer timer) { return runAlone(timer); }, settings);
}

DevicePrescan::Total DevicePrescan::foundTotal()
{
    const auto real = [&](std::uint32_t word) {
        return settings_.element->isReal ? static_cast<double>(std::bit_cast<float>(word)) : 0;
    };
    const std::uint32_t last = downloadWord(gpu_, solution_->result(), n_ - 1);
    if (!settings_.shape.exclusive) return {last, real(last)};
    const std::uint32_t lacking = downloadWord(gpu_, input_, n_ - 1);
    return {last + lacking, real(last) + real(lacking)};
}

RunTime DevicePrescan::addBefore(std::uint32_t before, Timer timer)
{
    return offset_->add(before, solution_->result(), timer);
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
