#include "annexes/prescan/PrescanPart.h"

#include "annexes/prescan/HostPrescan.h"
#include "annexes/prescan/PrescanWork.h"
#include "base/Wire.h"
#include "gpu/Device.h"
#include "judge/SeriesEnd.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

// Found by argument-dependent lookup, so not in an unnamed namespace.
template <class Wire>
void fields(Wire& wire, PrescanVerdict& verdict)
{
    wire("wrong", verdict.wrong);
    wire("firstIndex", verdict.firstIndex);
    wire("expected", verdict.expected);
    wire("got", verdict.got);
    wire("allowed", verdict.allowed);
    wire("largestError", verdict.largestError);
    wire("largestAt", verdict.largestAt);
    wire("mostAllowed", verdict.mostAllowed);
    wire("inputChanged", verdict.inputChanged);
}

template <class Wire>
void fields(Wire& wire, PrescanPart& part)
{
    wire("verdict", part.verdict);
    wire("messages", part.messages);
    wire("times", part.times);
    wire("timer", part.timer);
}

nlohmann::json wireOf(const PrescanPart& part) { return toWire(part); }
PrescanPart prescanPartFrom(const nlohmann::json& json) { return valueFrom<PrescanPart>(json); }

namespace {

class PrescanPartRun {
public:
    PrescanPartRun(Device& gpu, const PrescanSettings& settings, std::uint64_t n, const SeriesSettings& series,
                   const Together& together)
        : gpu_(gpu),
          settings_(settings),
          whole_(n),
          first_(together.own.begin(n, together.own.ranks)),
          n_(together.own.end(n, together.own.ranks) - first_),
          series_(series),
          together_(together)
    {
        part_.timer = series.timer;
        part_.times.rank = together.own.rank;
        part_.times.device = gpu.properties.deviceName.data();
        part_.times.n = n_;
    }

    PrescanPart run(const std::function<void(const char*)>& progress)
    {
        progress("input");
        makeInput();
        progress("kernels");
        if (judge()) {
            time();
            judge();
        }
        return std::move(part_);
    }

private:
    using Reals = std::vector<double>;

    Met meet(std::uint32_t sum, const Reals& reals, Halt halt = Halt::none, bool last = false) const
    {
        Brought brought{sum, reals};
        brought.what = whole_;
        brought.sharing = together_.own.ranks;
        brought.halt = halt;
        brought.last = last;
        return together_.meet(brought);
    }

    void makeInput()
    {
        const HostArray input = makeHostArray(n_);
        const std::span<std::uint32_t> words(input.get(), n_);
        fillRandom(settings_, first_, words);
        InputLook look(*settings_.element);
        look.look(words);
        facts_ = look.facts();
        PreciseSum own;
        for (const std::uint32_t word : words) own.add(*settings_.element, word);
        const Met met = meet(own.modular, {own.sum, own.lost, own.magnitude});
        before_ = {met.realsBefore[0], met.realsBefore[1], met.realsBefore[2], met.before};
        if (n_ == 0) return;
        device_.emplace(gpu_, settings_, n_, first_ > 0);
        device_->upload(words);
        device_->prepare();
    }

    // Allows for the additions of all elements before the part.
    PrescanJudge judgeOfWhole() const
    {
        constexpr std::uint64_t roundings = 2;  // to a float, and in adding that
        InputFacts facts = facts_;
        facts.quantum = 1;  // the elements before are whole numbers, too
        const std::uint64_t longestPart = ceilDiv(whole_, together_.own.ranks);
        return {settings_, facts, prescanWork(longestPart, settings_.shape).depth + roundings, before_, first_};
    }

    std::pair<std::uint32_t, Reals> found()
    {
        const DevicePrescan::Total total = device_ ? device_->foundTotal() : DevicePrescan::Total();
        return {total.modular, {total.real}};
    }

    RunTime finish(const Met& met, Timer timer)
    {
        if (first_ == 0 || !device_) return {};
        const auto real = static_cast<float>(met.realsBefore[0]);
        return device_->addBefore(settings_.element->isReal ? std::bit_cast<std::uint32_t>(real) : met.before, timer);
    }

    // Judges the part, and then its place in the whole. False, on all ranks, if either is wrong on any rank.
    bool judge()
    {
        if (device_) {
            DevicePrescan::Judged own = device_->runAndJudge(facts_, series_.timer);
            part_.verdict = own.verdict;
            part_.messages = std::move(own.messages);
            if (!isRight()) {
                part_.verdict.firstIndex += first_;
                part_.verdict.largestAt += first_;
                if (n_ < whole_) part_.messages.push_back(wrongInPart(first_, n_));
            }
        }
        const auto [sum, reals] = found();
        const Met met = meet(sum, reals, isRight() ? Halt::none : Halt::failed);
        if (met.halt != Halt::none) return false;
        if (device_) {
            finish(met, Timer::host);
            part_.verdict = device_->judgeResult(judgeOfWhole(), facts_);
            if (!isRight() && first_ > 0)
                part_.messages.push_back(wrongTogether +
                                         std::string(": the Offset kernel adds what lies before a part"));
        }
        return meet(0, {}, isRight() ? Halt::none : Halt::failed).halt == Halt::none;
    }
    bool isRight() const { return part_.verdict.passed() && part_.messages.empty(); }

    void time()
    {
        if (device_) part_.timer = warmUpOneByOne([&](Timer timer) { return device_->runAlone(timer); }, series_);
        const SeriesEnd end(series_);
        while (!meet(0, {}, Halt::none, end.hasCome(part_.times.ms)).last) {
            part_.times.ms.push_back(device_ ? device_->runAlone(part_.timer).by(part_.timer) : 0);
            const auto [sum, reals] = found();
            const Met met = meet(sum, reals);
            part_.times.offsetMs.push_back(finish(met, part_.timer).by(part_.timer));
            part_.times.exchangeMs.push_back(met.exchangeMs);
        }
    }

    Device& gpu_;
    PrescanSettings settings_;
    std::uint64_t whole_, first_, n_;  // elements of the array; of the part
    SeriesSettings series_;
    const Together& together_;
    PrescanPart part_;
    InputFacts facts_;
    PreciseSum before_;
    std::optional<DevicePrescan> device_;  // none for a part without elements
};

void addVerdict(PrescanVerdict& whole, const PrescanVerdict& part)
{
    if (part.wrong > 0 && whole.wrong == 0) {  // in the order of ranks, so it is the first
        whole.firstIndex = part.firstIndex;
        whole.expected = part.expected;
        whole.got = part.got;
        whole.allowed = part.allowed;
    }
    whole.wrong += part.wrong;
    if (part.largestError > whole.largestError) {
        whole.largestError = part.largestError;
        whole.largestAt = part.largestAt;
    }
    whole.mostAllowed = std::max(whole.mostAllowed, part.mostAllowed);
    whole.inputChanged = whole.inputChanged || part.inputChanged;
}

}  // namespace

PrescanPart prescanPart(Device& gpu, const PrescanSettings& settings, std::uint64_t n, const SeriesSettings& series,
                        const Together& together, const std::function<void(const char*)>& progress)
{
    return PrescanPartRun(gpu, settings, n, series, together).run(progress);
}

SharedPrescan putTogether(const std::vector<PrescanPart>& parts)
{
    SharedPrescan whole;
    for (const PrescanPart& part : parts) {
        addVerdict(whole.judged.verdict, part.verdict);
        for (const std::string& message : part.messages)
            whole.judged.messages.push_back(parts.size() == 1 ? message
                                                              : fmt::format("rank {}: {}", part.times.rank, message));
        whole.parts.push_back(part.times);
        if (part.timer == Timer::host) whole.timer = Timer::host;
    }
    const TimesTogether times = timesTogether(whole.parts);
    whole.repeat = times.ms.size();
    whole.ms = statistics(times.ms).median;
    whole.exchangeMs = statistics(times.exchangeMs).median;
    return whole;
}

}  // namespace a2
