#include "annexes/debug/Timeline.h"

#include "files/Utf8Path.h"

#include <algorithm>
#include <set>
#include <system_error>
#include <variant>

namespace a2::debug {

namespace {

constexpr std::uint64_t mostWalked = std::uint64_t{1} << 28;  // instructions of the run

}  // namespace

Timeline::Timeline(const Recording& recording, EmulatedRun::KernelOf kernelOf, GivenWords given,
                   const Schedule& schedule, std::vector<std::filesystem::path> folders)
    : run_(recording.runs.at(schedule.run)),
      walked_(recording, std::move(kernelOf), std::move(given)),
      folders_(std::move(folders))
{
    settings_.subgroupSize = schedule.subgroupSize;
    settings_.budget = mostWalked;
    walked_.observe({.prints = true, .lines = true});
    for (std::size_t before = 0; before < schedule.run; ++before) walked_.walk(recording.runs[before], settings_, {});
    settings_.pauses = schedule.pauses;
    if (!schedule.pauses.empty()) walked_.pauseIn(schedule.dispatch);
    start_ = walked_.memory();
    for (const auto& command : run_.commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command)) dispatches_.push_back(one);
    for (Index i = 0; i < recording.buffers.size(); ++i)
        if (recording.buffers[i].role == RecordedBuffer::Role::input) buffers_["input"] = &walked_.buffer(i);
    buffers_["result"] = &walked_.buffer(run_.result);
    std::set<const EmulatedKernel*> kernels;
    for (const RecordedDispatch* one : dispatches_) {
        const EmulatedKernel* const kernel = walked_.kernel(*one);
        if (!kernel || !kernels.insert(kernel).second) continue;
        for (KernelLine& line : kernel->lines())
            if (std::find(lines_.begin(), lines_.end(), line) == lines_.end()) lines_.push_back(std::move(line));
    }
    way_.kind = Way::Kind::seek;
    way_.target = 0;
}

std::filesystem::path Timeline::fileOf(const std::string& name) const
{
    for (const std::filesystem::path& folder : folders_) {
        std::error_code error;
        const std::filesystem::path path = folder / pathOf(name);
        if (!name.empty() && std::filesystem::is_regular_file(path, error))
            return std::filesystem::absolute(path, error);
    }
    return {};
}

std::optional<std::uint64_t> Timeline::lastBefore(std::uint64_t from,
                                                  const std::function<bool(const Event&)>& holds) const
{
    for (std::uint64_t i = std::min<std::uint64_t>(from, events_.size()); i-- > 0;)
        if (holds(events_[static_cast<std::size_t>(i)])) return i;
    return {};
}

// If the next place is an earlier one, the walk begins again.
void Timeline::follow(Way way, std::uint64_t number)
{
    way_ = std::move(way);
    switch (way_.kind) {
        case Way::Kind::quit:
            throw Quit();
        case Way::Kind::search:
            way_.target = number;
            throw Again();
        case Way::Kind::again:
            throw Again();
        case Way::Kind::seek:
            if (way_.target <= number) throw Again();
            return;
        case Way::Kind::onward:
            if (number + 1 < mostEvents) return;
            way_ = {};
            way_.kind = Way::Kind::seek;  // it has no target
            way_.target = number;
            throw Again();
    }
}

void Timeline::search(const emulator::Standing& here, const Event& event, std::uint64_t number)
{
    const emulator::Whereabouts& where = *way_.watched;
    const bool elsewhere = where.space != emulator::Space::buffer && event.dispatch != way_.dispatch;
    const auto now = elsewhere ? std::nullopt : here.numberAt(where, way_.as);
    if (!now) return;
    if (last_ && *last_ != *now && now->set) {  // a variable that begins anew was not written
        const bool first = number > 0 && events_[static_cast<std::size_t>(number - 1)].dispatch != event.dispatch;
        found_ = {number, *last_, *now, first};
    }
    last_ = now;
}

void Timeline::come(const emulator::Standing& here, const LookAt& lookAt)
{
    const std::uint64_t number = next_++;
    Event event;
    event.dispatch = dispatch_;
    event.isEnd = here.atEnd();
    event.findings = static_cast<std::uint16_t>(here.findings().size());
    if (!event.isEnd) {
        event.group = here.group();
        event.invocation = here.invocation();
        event.place = here.place();
        event.phase = static_cast<std::uint32_t>(here.phase());
        event.isAgain = here.isAgain();
        event.depth = static_cast<std::uint16_t>(here.depth());
    }
    if (number == events_.size()) events_.push_back(event);
    const bool full = number + 1 >= mostEvents;
    const bool last = event.isEnd && (here.isCut() || dispatch_ + 1 >= dispatches_.size());
    const Event* const before = number > 0 ? &events_[static_cast<std::size_t>(number - 1)] : nullptr;
    const std::uint32_t known = before && before->dispatch == event.dispatch ? before->findings : 0U;
    Look place{here, event, number, last, event.findings - known, full};
    bool look = last || full;
    if (way_.kind == Way::Kind::onward) look = (way_.until && way_.until(place)) || look;
    if (way_.kind == Way::Kind::seek) look = number >= way_.target;
    if (way_.kind == Way::Kind::again) {
        if (number >= way_.target) {
            Way way;
            way.kind = Way::Kind::seek;
            way.target = way_.then();
            way_ = std::move(way);
            throw Again();
        }
        way_.until(place);
        look = false;
    }
    if (way_.kind == Way::Kind::search) {
        search(here, event, number);
        look = number >= way_.target;
        place.searched = &found_;
    }
    if (look) follow(lookAt(place), number);
}

void Timeline::walkOnce(const LookAt& lookAt, const Printed& printed)
{
    next_ = 0;
    dispatch_ = 0;
    last_.reset();
    found_.reset();
    ended_.clear();
    walked_.goOnFrom(start_);
    EmulatorSettings settings = settings_;
    settings.atLine = [&](const emulator::Standing& here) { come(here, lookAt); };
    if (printed) {
        settings.wantsPrint = [&](auto&&...) { return next_ == events_.size(); };
        settings.printed = [&](const EmulatorSettings::Printed& one) { printed(one, dispatch_); };
    }
    walked_.walk(run_, settings, [&](const EmulatedStep& step) {
        ++dispatch_;
        if (const auto why = step.notWalked()) ended_ = why->why;
    });
}

std::string Timeline::walk(const LookAt& lookAt, const Printed& printed)
{
    while (true) {
        try {
            walkOnce(lookAt, printed);
            return ended_;
        } catch (const Again&) {
        } catch (const Quit&) {
            return {};
        }
    }
}

}  // namespace a2::debug
