#include "judge/OtherSchedules.h"

#include "lint/EmulatedFindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace a2 {

namespace {

constexpr std::uint64_t mostInstructions = std::uint64_t{3} << 26;  // of all orders

// Where somebody may pause.
struct Place {
    std::uint64_t dispatch = 0;
    std::uint32_t atomic = 0, groups = 0;
};

std::vector<Place> placesOf(EmulatedRun& emulated, const RecordedRun& run)
{
    std::vector<Place> places;
    std::uint64_t number = 0;
    for (const RecordedCommand& command : run.commands) {
        const auto* dispatch = std::get_if<RecordedDispatch>(&command);
        if (!dispatch) continue;
        const std::uint64_t dispatched = number++;
        const EmulatedKernel* kernel = dispatch->indirect ? nullptr : emulated.kernel(*dispatch);
        if (!kernel) continue;
        std::uint64_t groups = 1;
        for (const std::uint32_t along : dispatch->groups) groups = std::min<std::uint64_t>(UINT32_MAX, groups * along);
        const auto atomics = kernel->atomics();
        for (std::uint32_t i = 0; i < atomics.size(); ++i)
            if (atomics[i].inLoop || (atomics[i].inBuffer && groups > 1))
                places.push_back({dispatched, i, static_cast<std::uint32_t>(groups)});
    }
    return places;
}

}  // namespace

bool mayDiffer(EmulatedRun& emulated, const RecordedRun& run)
{
    for (const RecordedCommand& command : run.commands) {
        const auto* dispatch = std::get_if<RecordedDispatch>(&command);
        const EmulatedKernel* kernel = dispatch ? emulated.kernel(*dispatch) : nullptr;
        if (!kernel) continue;
        for (const EmulatedKernel::Atomic& one : kernel->atomics())
            if (one.inBuffer || one.inLoop) return true;
    }
    return false;
}

OtherSchedules::OtherSchedules(EmulatedRun& emulated, const RecordedRun& run, EmulatorSettings settings,
                               const GivenWords& given, const std::vector<EmulatedBuffer>& fresh)
    : emulated_(emulated), run_(run), settings_(std::move(settings)), given_(given), fresh_(fresh)
{
}

std::string OtherSchedules::textOf(const Schedule& schedule)
{
    std::uint64_t number = 0;
    const EmulatedKernel* kernel = nullptr;
    for (const RecordedCommand& command : run_.commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command); one && number++ == schedule.dispatch)
            kernel = emulated_.kernel(*one);
    std::string text;
    for (const EmulatorSettings::Pause& pause : schedule.pauses) {
        std::string place = std::to_string(pause.atomic);
        if (kernel && pause.atomic < kernel->atomics().size()) {
            const KernelLine where = kernel->atomics()[pause.atomic].where;
            if (where.line > 0) place = fmt::format("shaders/{}:{}", underShaders(where.file), where.line);
        }
        text += fmt::format(
            "{}{} pauses {} the atomic at {}", text.empty() ? "" : " and ",
            pause.group ? fmt::format("the work-group that starts after {} others", *pause.group) : "each work-group",
            pause.after ? "behind" : "before", place);
    }
    return fmt::format("with subgroups of {}, {}, where {} until all others wait or have ended", schedule.subgroupSize,
                       schedule.run == 0   ? "in a first run"
                       : schedule.run == 1 ? "in a second run"
                                           : "in a third run",
                       text);
}

// The runs before work on the same words from the last to the first: what is left of them is no result of this one.
bool OtherSchedules::prepare()
{
    GivenWords turned = given_;
    std::reverse(turned.input.begin(), turned.input.end());
    emulated_.goOnFrom(fresh_);
    for (std::size_t i = 0; i < before_.size(); ++i) {
        before_[i] = emulated_.memory();
        if (i + 1 == before_.size()) break;
        emulated_.give(turned);
        const bool complete = emulated_.walk(run_, settings_, [](const EmulatedStep&) {});
        emulated_.give(given_);
        if (!complete) return false;
    }
    return true;
}

bool OtherSchedules::fails(const Schedule& schedule)
{
    EmulatorSettings paused = settings_;
    paused.subgroupSize = schedule.subgroupSize;
    paused.pauses = schedule.pauses;
    emulated_.goOnFrom(before_.at(schedule.run));
    emulated_.pauseIn(schedule.dispatch);
    Failure found;
    found.schedule = schedule;
    const bool complete = emulated_.walk(run_, paused, [&](const EmulatedStep& step) {
        instructions_ += step.walk.instructions;
        if (found.where.line == 0 && !step.walk.findings.empty()) found.where = step.walk.findings.front().where;
        for (Finding& one : findingsOf(emulated_.recording(), step))
            if (one.severity == Severity::failure) found.findings.push_back(std::move(one));
    });
    emulated_.pauseIn({});
    if (complete) found.wrong = judge_();
    if (found.wrong.empty() && found.findings.empty()) return false;
    failure_ = std::move(found);
    return true;
}

// True: one fails, or there has been enough of it.
bool OtherSchedules::tryAll()
{
    const std::vector<Place> places = placesOf(emulated_, run_);
    const std::vector<std::uint32_t> sizes = {4, settings_.subgroupSize};
    const auto fails = [&](const Schedule& one) { return instructions_ > mostInstructions || this->fails(one); };
    // All of them at once, each behind the others.
    for (const std::uint32_t size : sizes)
        for (const Place& place : places)
            for (const bool after : {false, true})
                for (const bool lastFirst : {false, true})
                    for (const std::uint32_t run : {0U, 1U})
                        if (fails({size, run, place.dispatch, {{place.atomic, after, {}, lastFirst}}})) return true;
    // One of them, by turns on memory of one run and of two.
    std::uint32_t turn = 0;
    for (const Place& place : places)
        for (const bool after : {false, true})
            for (std::uint32_t group = 0; group < std::min<std::uint32_t>(place.groups, 16); ++group, ++turn)
                if (fails({sizes[turn % 2], 1 + turn / 2 % 2, place.dispatch, {{place.atomic, after, group, false}}}))
                    return true;
    // Two of them, of the same dispatch.
    std::uint64_t seed = 1;
    for (std::uint32_t i = 0; i < 256 && !places.empty(); ++i) {
        const auto draw = [&](std::size_t below) {
            seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
            return static_cast<std::uint32_t>((seed >> 33) % below);
        };
        const Place& first = places[draw(places.size())];
        const Place& second = places[draw(places.size())];
        if (first.dispatch != second.dispatch || first.groups < 2) continue;
        const std::uint32_t size = sizes[draw(2)], run = draw(3), a = draw(first.groups), b = draw(first.groups);
        const bool afterA = draw(2) == 1, afterB = draw(2) == 1;
        if (fails({size, run, first.dispatch, {{first.atomic, afterA, a, false}, {second.atomic, afterB, b, false}}}))
            return true;
    }
    return false;
}

std::optional<OtherSchedules::Failure> OtherSchedules::firstThatFails(const std::optional<Schedule>& only)
{
    if (!prepare()) return {};
    if (only)
        fails(*only);
    else
        tryAll();
    return std::move(failure_);
}

}  // namespace a2
