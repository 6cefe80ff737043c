#include "judge/OtherSchedules.h"

#include "lint/EmulatedFindings.h"
#include "lint/Rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace a2 {

namespace {

constexpr std::uint64_t mostEffort = std::uint64_t{3} << 26;  // of all orders, in instructions
constexpr std::uint32_t smallSubgroups = 4;                   // a small work-group has many of them

using PauseWay = EmulatorSettings::Pause::Way;

// Where an invocation may pause; or an atomic that may be late, or early.
struct Place {
    std::uint64_t dispatch = 0;
    std::uint32_t atomic = 0, groups = 0;
};
struct SchedulePlaces {
    std::vector<Place> pauses, late, early, lose;
};

SchedulePlaces placesOf(EmulatedRun& emulated, const RecordedRun& run)
{
    SchedulePlaces places;
    std::uint64_t number = 0;
    for (const RecordedCommand& command : run.commands) {
        const auto* dispatch = std::get_if<RecordedDispatch>(&command);
        if (!dispatch) continue;
        const std::uint64_t dispatched = number++;
        const EmulatedKernel* kernel = dispatch->indirect ? nullptr : emulated.kernel(*dispatch);
        if (!kernel) continue;
        std::uint64_t groups = 1;
        for (const std::uint32_t along : dispatch->groups) groups = std::min<std::uint64_t>(UINT32_MAX, groups * along);
        const auto& atomics = kernel->atomics();
        for (std::uint32_t i = 0; i < atomics.size(); ++i) {
            const EmulatedKernel::Atomic& one = atomics[i];
            const Place place{dispatched, i, static_cast<std::uint32_t>(groups)};
            if (one.mayLose) places.lose.push_back(place);
            if (one.commutes) continue;
            if (one.inLoop || (one.inBuffer ? groups > 1 : one.hasOrder)) places.pauses.push_back(place);
            // An atomic that is the only one for its kind of memory has no other to be ordered with.
            const bool alone = std::none_of(atomics.begin(), atomics.end(), [&](const EmulatedKernel::Atomic& other) {
                return &other != &one && other.inBuffer == one.inBuffer;
            });
            if (alone || (one.inBuffer && groups < 2 && !one.inLoop)) continue;
            if (one.mayBeLate) places.late.push_back(place);
            if (one.mayBeEarly) places.early.push_back(place);
        }
    }
    // The last dispatch first: it works on what all others have left. Of slices only the first is like an array of one
    // slice, which is looked at as well. The instructions may not suffice for all.
    for (std::vector<Place>* some : {&places.pauses, &places.late, &places.early})
        std::stable_sort(some->begin(), some->end(),
                         [](const Place& one, const Place& other) { return one.dispatch > other.dispatch; });
    return places;
}

bool anyAtomic(EmulatedRun& emulated, const RecordedRun& run, bool (*is)(const EmulatedKernel::Atomic&))
{
    return emulated.anyKernel(run,
                              [&](const EmulatedKernel& kernel) { return std::ranges::any_of(kernel.atomics(), is); });
}

// Whether the order is reversed: in a second run with pauses only, the work-group that came last comes first.
bool goesBackwards(const Schedule& schedule)
{
    const auto pauses = [](const EmulatorSettings::Pause& one) { return one.way == PauseWay::pauses; };
    return schedule.run == 1 && !schedule.pauses.empty() && std::ranges::all_of(schedule.pauses, pauses);
}

}  // namespace

bool mayDiffer(EmulatedRun& emulated, const RecordedRun& run)
{
    if (anyAtomic(emulated, run, [](const EmulatedKernel::Atomic& one) {
            return !one.commutes && (one.inBuffer || one.inLoop || one.hasOrder);
        }))
        return true;
    const SchedulePlaces places = placesOf(emulated, run);
    return !places.late.empty() || !places.early.empty();
}

bool mayLose(EmulatedRun& emulated, const RecordedRun& run)
{
    return anyAtomic(emulated, run, [](const EmulatedKernel::Atomic& one) { return one.mayLose; });
}

OtherSchedules::OtherSchedules(EmulatedRun& emulated, const RecordedRun& run, EmulatorSettings settings,
                               const GivenWords& given, const std::vector<EmulatedBuffer>& fresh)
    : emulated_(emulated), run_(run), settings_(std::move(settings)), given_(given), fresh_(fresh)
{
}

const EmulatedKernel* OtherSchedules::kernelOf(std::uint64_t dispatch)
{
    std::uint64_t number = 0;
    for (const RecordedCommand& command : run_.commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command); one && number++ == dispatch)
            return emulated_.kernel(*one);
    return nullptr;
}

const EmulatedKernel::Atomic* OtherSchedules::atomicOf(const Schedule& schedule, const EmulatorSettings::Pause& pause)
{
    const EmulatedKernel* const kernel = kernelOf(schedule.dispatch);
    return kernel && pause.atomic < kernel->atomics().size() ? &kernel->atomics()[pause.atomic] : nullptr;
}

KernelLine OtherSchedules::placeOf(const Schedule& schedule)
{
    const EmulatedKernel::Atomic* const atomic =
        schedule.pauses.empty() ? nullptr : atomicOf(schedule, schedule.pauses.front());
    return atomic ? atomic->where : KernelLine();
}

std::string OtherSchedules::textOf(const Schedule& schedule)
{
    std::string text;
    for (const EmulatorSettings::Pause& pause : schedule.pauses) {
        std::string place = std::to_string(pause.atomic);
        const EmulatedKernel::Atomic* const atomic = atomicOf(schedule, pause);
        if (atomic && atomic->where.line > 0)
            place = fmt::format("shaders/{}:{}", underShaders(atomic->where.file), atomic->where.line);
        std::string who =
            pause.group ? fmt::format("the work-group that starts after {} others", *pause.group) : "each work-group";
        if (atomic && !atomic->inBuffer) who = pause.group ? "each invocation of " + who : "each invocation";
        // groupMemoryBarrier() orders them only for its own work-group.
        const char* const others = atomic && !atomic->inBuffer ? "other invocations" : "other work-groups";
        if (!text.empty()) text += " and ";
        switch (pause.way) {
            case PauseWay::pauses:
                if (pause.eachTime) {
                    text += fmt::format(
                        "each invocation finds, each time that it comes to the atomic at {}, that another one has just "
                        "changed the word",
                        place);
                    break;
                }
                text += fmt::format("{} pauses {} the atomic at {} until all others wait or have ended", who,
                                    pause.after ? "after" : "before", place);
                break;
            case PauseWay::late:
                text += fmt::format(
                    "the atomic at {} of {} takes effect after later ones to other words, as it may where nothing "
                    "between them releases it for {}",
                    place, who, others);
                break;
            case PauseWay::early:
                text += fmt::format(
                    "the atomic at {} of {} reads its word before earlier ones to other words, as it may where nothing "
                    "between them acquires it from {}",
                    place, who, others);
                break;
        }
    }
    return fmt::format("with subgroups of {}, {}, where {}", schedule.subgroupSize,
                       schedule.run == 0         ? "in a first run"
                       : goesBackwards(schedule) ? "in a second run, from the last to the first"
                       : schedule.run == 1       ? "in a second run"
                                                 : "in a third run",
                       text);
}

std::string OtherSchedules::cureOf(const Schedule& schedule)
{
    for (const EmulatorSettings::Pause& pause : schedule.pauses) {
        const EmulatedKernel::Atomic* const atomic = atomicOf(schedule, pause);
        const bool shared = atomic && !atomic->inBuffer;
        if (pause.eachTime) return "go on trying until it succeeds: others may come in between any number of times";
        if (pause.way == PauseWay::pauses && !shared) continue;
        if (pause.way == PauseWay::pauses)
            return atomic->hasOrder
                       ? "let no place and no order depend on what that atomic returns, which is left to "
                         "chance; or, if others do theirs between two atomics, let one atomic do what "
                         "belongs together"
                       : "let one atomic do what belongs together, or put a barrier() between them: others "
                         "do theirs in between";
        const char* const barrier = shared ? "memoryBarrierShared()" : "memoryBarrierBuffer()";
        return pause.way == PauseWay::late
                   ? fmt::format("put {} after that atomic, or give the next one release semantics for its memory",
                                 barrier)
                   : fmt::format("put {} before that atomic, or give the one before acquire semantics for its memory",
                                 barrier);
    }
    return {};
}

// The earlier runs get the words of the input in reverse order: what they leave is not the result of this run.
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

// Walks the run in this order, on this memory; empty: nothing fails.
std::optional<OtherSchedules::Failure> OtherSchedules::walked(const Schedule& schedule,
                                                              const std::vector<EmulatedBuffer>& before)
{
    EmulatorSettings paused = settings_;
    paused.subgroupSize = schedule.subgroupSize;
    paused.pauses = schedule.pauses;
    if (goesBackwards(schedule)) paused.order = EmulatorSettings::Order::backwards;
    paused.otherWays = schedule.pauses.empty();  // for the other dispatches they are known
    emulated_.goOnFrom(before);
    emulated_.pauseIn(schedule.dispatch);
    Failure found;
    found.schedule = schedule;
    const bool complete = emulated_.walk(run_, paused, [&](const EmulatedStep& step) {
        effort_ += step.walk.effort;
        waited_ = waited_ || step.walk.waited;
        if (found.where.line == 0 && !step.walk.findings.empty()) found.where = step.walk.findings.front().where;
        for (Finding& one : findingsOf(emulated_.recording(), step))
            if (one.severity == Severity::failure) found.findings.push_back(std::move(one));
    });
    emulated_.pauseIn({});
    if (complete) found.wrong = judge_();
    if (found.wrong.empty() && found.findings.empty()) return {};
    return found;
}

bool OtherSchedules::fails(const Schedule& schedule)
{
    std::optional<Failure> found = walked(schedule, before_.at(schedule.run));
    if (found) failure_ = std::move(found);
    return found.has_value();
}

// The buffers each of which alone makes this later run fail by what earlier ones have left in it.
std::vector<std::string> OtherSchedules::staleBuffers(const Schedule& schedule)
{
    std::vector<std::string> names;
    const std::vector<EmulatedBuffer>& left = before_.at(schedule.run);
    if (schedule.run == 0 || schedule.pauses.empty()) return names;
    for (std::size_t i = 0; i < left.size(); ++i) {
        if (!left[i].isKept()) continue;
        std::vector<EmulatedBuffer> before = left;
        before[i] = before_[0][i];
        if (!walked(schedule, before)) names.push_back(emulated_.recording().buffers[i].name);
    }
    return names;
}

// Tests a later run on the memory that earlier ones have left, or other subgroup sizes: a failure there does not depend
// on the order.
bool OtherSchedules::failsInTheUsualOrder()
{
    return fails({settings_.subgroupSize, 1, 0, {}}) || fails({settings_.subgroupSize, 2, 0, {}}) ||
           (settings_.subgroupSize != smallSubgroups && fails({smallSubgroups, 0, 0, {}}));
}

// True: one fails, or the budget is used up.
bool OtherSchedules::tryAll()
{
    const SchedulePlaces all = placesOf(emulated_, run_);
    const std::vector<Place>& places = all.pauses;
    const std::vector<std::uint32_t> sizes = {smallSubgroups, settings_.subgroupSize};
    const auto fails = [&](const Schedule& one) { return effort_ > mostEffort || this->fails(one); };
    const auto failsDelayed = [&](const std::vector<Place>& delayed, PauseWay way) {
        for (const std::uint32_t turn : {0U, 1U})
            for (const Place& place : delayed)
                if (fails({sizes[turn], turn, place.dispatch, {{place.atomic, false, {}, false, way}}})) return true;
        return false;
    };
    // An atomic that is late, or early, for all of them. If an order that only pauses fails too, that explains more.
    std::optional<Failure> delayed;
    if (failsDelayed(all.late, PauseWay::late) || failsDelayed(all.early, PauseWay::early)) {
        delayed = std::exchange(failure_, {});
        effort_ = 0;
    }
    // All work-groups at once, each after the others.
    for (const std::uint32_t size : sizes)
        for (const Place& place : places)
            for (const bool after : {false, true})
                for (const bool lastFirst : {false, true})
                    for (std::uint32_t run = 0; run < (size == sizes[0] ? 3U : 2U); ++run)
                        if (fails({size, run, place.dispatch, {{place.atomic, after, {}, lastFirst}}})) {
                            if (!failure_) failure_ = std::move(delayed);
                            return true;
                        }
    if (delayed) {
        failure_ = std::move(delayed);
        return true;
    }
    // One work-group, alternately on the memory left by one run and by two.
    std::vector<Schedule> ones, others;
    std::uint32_t turn = 0;
    for (const Place& place : places)
        for (const bool after : {false, true})
            for (std::uint32_t group = 0; group < std::min<std::uint32_t>(place.groups, 16); ++group, ++turn)
                ones.push_back(
                    {sizes[turn % 2], 1 + turn / 2 % 2, place.dispatch, {{place.atomic, after, group, false}}});
    // An early atomic while the work-groups pause before another one, so that something has changed meanwhile; and a
    // late one in one work-group.
    turn = 0;
    for (const Place& place : all.early)
        for (const Place& other : places)
            for (const bool lastFirst : {true, false}) {
                if (other.dispatch != place.dispatch || other.atomic == place.atomic) continue;
                others.push_back(
                    {sizes[turn % 2],
                     turn / 2 % 2,
                     place.dispatch,
                     {{other.atomic, false, {}, lastFirst}, {place.atomic, false, {}, false, PauseWay::early}}});
                ++turn;
            }
    for (const Place& place : all.late)
        for (std::uint32_t group = 0; group < std::min<std::uint32_t>(place.groups, 16); ++group, ++turn)
            others.push_back(
                {sizes[turn % 2], turn / 2 % 2, place.dispatch, {{place.atomic, false, group, false, PauseWay::late}}});
    for (std::size_t i = 0; i < std::max(ones.size(), others.size()); ++i)
        if ((i < others.size() && fails(others[i])) || (i < ones.size() && fails(ones[i]))) return true;
    // Two work-groups of the same dispatch.
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
    else if (!failsInTheUsualOrder())
        tryAll();
    if (failure_) failure_->stale = staleBuffers(failure_->schedule);
    // An order that did not end has left a run half done: the next walk must not go on from there.
    if (!failure_) emulated_.goOnFrom(fresh_);
    return std::move(failure_);
}

std::optional<OtherSchedules::Failure> OtherSchedules::firstLossThatFails()
{
    emulated_.goOnFrom(fresh_);
    before_[0] = emulated_.memory();
    for (const Place& place : placesOf(emulated_, run_).lose)
        if (effort_ <= mostEffort && fails({settings_.subgroupSize,
                                            0,
                                            place.dispatch,
                                            {{place.atomic, false, {}, false, PauseWay::pauses, true}}}))
            break;
    if (!failure_) emulated_.goOnFrom(fresh_);
    return std::move(failure_);
}

Verdict OtherSchedules::verdictInTheUsualOrder(const Failure& failed)
{
    const std::uint32_t run = failed.schedule.run;
    const std::string where = run == 0 ? subgroupsText(failed.schedule.subgroupSize) + ", "
                                       : fmt::format("in a {} run, on the memory that the one before has left, ",
                                                     run == 1 ? "second" : "third");
    Verdict verdict;
    if (!failed.wrong.empty() && run == 0) verdict.findings.push_back({"subgroup-size", where + failed.wrong, {}});
    if (!failed.wrong.empty() && run > 0)
        verdict.findings.push_back(
            {"stale-state", fmt::format("{}{}; {}", where, failed.wrong, ruleOf("stale-state")->cure), {}});
    for (const Finding& one : failed.findings) {
        verdict.findings.push_back(one);
        verdict.findings.back().message = where + one.message;
    }
    verdict.file = underShaders(failed.where.file);
    verdict.line = failed.where.line;
    return verdict;
}

Finding OtherSchedules::staleFinding(const Failure& failed)
{
    std::string names;
    for (const std::string& one : failed.stale) names += fmt::format("{}'{}'", names.empty() ? "" : " or ", one);
    return {
        "stale-state",
        fmt::format("{}; what the run before has left in {} is taken for what this run writes, and if that buffer is "
                    "as before any run, the same order is right: clear it with cb.fillBuffer() and a barrier, or let "
                    "the kernel number the runs in memory: what record() records, push constants too, may run many "
                    "times",
                    failed.wrong.empty() ? failed.findings.front().message : failed.wrong, names),
        {}};
}

Verdict OtherSchedules::verdictOf(const std::optional<Failure>& failed)
{
    Verdict verdict;
    if (!failed) return verdict;
    const Schedule& schedule = failed->schedule;
    if (schedule.pauses.empty()) return verdictInTheUsualOrder(*failed);
    const std::string text = scheduleText(schedule), where = textOf(schedule),
                      cure = failed->stale.empty() ? cureOf(schedule) : "";
    const auto add = [&](Finding finding) {
        finding.message = fmt::format("{}, {}{}{}; to repeat it: --schedule {}", where, finding.message,
                                      cure.empty() ? "" : ": ", cure, text);
        verdict.findings.push_back(std::move(finding));
    };
    if (!failed->stale.empty()) {
        add(staleFinding(*failed));
    } else {
        if (!failed->wrong.empty()) add({"group-order", failed->wrong, {}});
        for (const Finding& one : failed->findings) add(one);
    }
    const KernelLine place = failed->where.line > 0 ? failed->where : placeOf(schedule);
    verdict.file = underShaders(place.file);
    verdict.line = place.line;
    verdict.schedule = text;
    return verdict;
}

}  // namespace a2
