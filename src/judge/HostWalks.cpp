#include "judge/HostWalks.h"

#include "judge/Matrix.h"
#include "judge/ShapeWalk.h"
#include "judge/ShortRuns.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>

namespace a2 {

namespace {

bool saysSo(const CaseOutcome& one)
{
    if (one.mismatches) return true;
    const Finding* const first = firstThatFails(one.findings);
    return first && !first->rule.empty();  // otherwise nothing was walked
}

// Whether another row of the course starts all its kernels, and more: scan/local is the first level of
// scan/work-efficient.
bool isPartOfAnother(const Task& task)
{
    const std::vector<Task> all = allTasks();
    return std::any_of(all.begin(), all.end(), [&](const Task& other) {
        const auto starts = [&](const std::string& kernel) {
            return std::find(other.shaders.begin(), other.shaders.end(), kernel) != other.shaders.end();
        };
        return other.byDefault && other.shaders.size() > task.shaders.size() &&
               std::all_of(task.shaders.begin(), task.shaders.end(), starts);
    });
}

}  // namespace

// Keeps to the user's choice of a shape, and walks no longer arrays than were asked for.
std::vector<WalkedRun> HostWalks::furtherShapes(const Task& task, std::uint64_t longest, bool all) const
{
    if (cases_.keepsToItsShape()) return {};
    const ScanKinds kinds = settings_.exclusive ? ScanKinds::exclusive : all ? ScanKinds::both : ScanKinds::inclusive;
    std::vector<WalkedRun> runs = walkedShapes(gpu_, task, kinds);
    std::erase_if(runs, [&](const WalkedRun& one) { return one.n > longest; });
    std::ranges::move(runsOfValues(task, cases_.shapeOfRun(task), longest), std::back_inserter(runs));
    return runs;
}

std::vector<WalkedRun> HostWalks::courseWalks(const Task& task, std::uint64_t longest) const
{
    const bool asked = settings_.course && settings_.workGroup == courseShape.workGroup &&
                       settings_.elements == courseShape.elements && task.elementsUnit <= 2 && !cases_.together();
    std::vector<WalkedRun> runs;
    if (asked && longest > courseTwoLevels)
        for (const std::uint64_t n : standInLengths) runs.push_back({courseStandIn, n});
    return runs;
}

std::vector<WalkedRun> HostWalks::moreInOwnShape(const Task& task, std::uint64_t longest) const
{
    const bool chosen = cases_.keepsToItsShape() && !settings_.course;
    if (longest == 0 || cases_.together() || chosen || settings_.lowerLimits || settings_.schedule) return {};
    KernelShape shape = cases_.shapeOfRun(task);
    if (!settings_.elements) shape.elements = task.elementsUnit;
    const auto length = [&](std::uint64_t most) {
        const std::uint64_t n = std::min(longest, most);
        return settings_.course ? std::bit_floor(n) : n;
    };
    std::vector<WalkedRun> runs;
    const std::uint64_t few = length(std::min(largestOnHost, 4 * shape.tile() - 3));
    const auto with = [&](std::uint64_t n, const std::string& pattern) {
        runs.push_back({shape, n});
        runs.back().pattern = pattern;
    };
    with(1, "edges");
    with(length(shape.workGroup), "edges");  // each invocation gets only one of the edge values
    if (few > 1)
        for (const std::string& pattern : {std::string("ones"), std::string("mod97"), std::string("max"),
                                           std::string("edges"), Pattern::oneHot(few - 1).text()})
            with(few, pattern);
    const std::uint64_t many = length(longestWalkedWhole);
    if (many > largestOnHost && !isPartOfAnother(task)) runs.push_back({shape, many});
    return runs;
}

std::vector<WalkedRun> HostWalks::longArrays(const Task& task, const KernelShape& own, std::uint64_t longest) const
{
    const bool asked =
        !cases_.keepsToItsShape() && !settings_.lowerLimits && longest >= manyTiles * smallestWorkGroup * 2;
    return asked ? recordedLengths(gpu_, task, own) : std::vector<WalkedRun>();
}

void HostWalks::eachRun(const Task& task, std::uint64_t longest, bool all, const UseRuns& use) const
{
    use(patternsInTiles(task, longest), settings_.lowerLimits);
    use(furtherShapes(task, longest, all), settings_.lowerLimits);
    use(moreInOwnShape(task, longest), settings_.lowerLimits);
    use(courseWalks(task, longest), settings_.lowerLimits);
    use(longArrays(task, cases_.shapeOfRun(task), longest), promisedGroups(gpu_));
}

CaseOutcome HostWalks::walkCaseOnHost(const Task& task, const WalkedRun& run, bool& complete)
{
    CaseOutcome one = cases_.blank(task.patternOf(run.pattern), run.n, run.shape);
    if (run.limit) one.limit = run.limit;
    complete = false;
    cases_.begin(task, one);
    cases_.guarded(one, [&] {
        const WithLowerLimits limited(gpu_, run.limit ? std::nullopt : one.limit);
        const HostWalk walk = walkOnHost(gpu_, task, run, settings_.seed);
        complete = walk.complete;
        if (walk.run) one.n = walk.run->n;
        if (walk.run && walk.run->pattern != run.pattern) one.pattern = walk.run->pattern;
        if (walk.run && walk.run->limit) one.limit = walk.run->limit;
        judge(one, walk.verdict);
    });
    return one;
}

std::vector<WalkedRun> HostWalks::patternsInTiles(const Task& task, std::uint64_t longest) const
{
    if (cases_.keepsToItsShape() || cases_.together()) return {};
    std::vector<WalkedRun> runs = runsOfPatterns(task, settings_.exclusive);
    std::erase_if(runs, [&](const WalkedRun& one) { return one.n > longest; });
    return runs;
}

void HostWalks::walkPatterns(TaskOutcome& outcome, std::uint64_t longest)
{
    if (outcome.isOver() || cases_.deviceFailed() || !withPatterns_.insert(outcome.task.id).second) return;
    cases_.progress(fmt::format("{}: walking other patterns on the host", outcome.task.id));
    bool complete = false;
    for (const WalkedRun& run : patternsInTiles(outcome.task, longest)) {
        CaseOutcome one = walkCaseOnHost(outcome.task, run, complete);
        if (one.status == Status::passed || one.status == Status::skipped) continue;
        outcome.cases.push_back(std::move(one));
        return;
    }
}

void HostWalks::walkShapes(TaskOutcome& outcome, std::uint64_t longest, bool all)
{
    if (outcome.isOver() || cases_.deviceFailed()) return;
    cases_.progress(fmt::format("{}: walking further shapes on the host", outcome.task.id));
    bool complete = false;
    std::vector<WalkedRun> runs = furtherShapes(outcome.task, longest, all);
    std::ranges::move(moreInOwnShape(outcome.task, longest), std::back_inserter(runs));
    for (const WalkedRun& run : runs) {
        CaseOutcome one = walkCaseOnHost(outcome.task, run, complete);
        if (one.status == Status::passed || one.status == Status::skipped) continue;
        // Tries slices without folds: only one of them may be at fault.
        if (const auto slicesAlone = run.limit && run.limit->x > 0 ? run.limit->withoutGroups() : std::nullopt) {
            WalkedRun fewer = run;
            fewer.limit = slicesAlone;
            if (CaseOutcome same = walkCaseOnHost(outcome.task, fewer, complete);
                same.status == one.status && saysSo(same))
                one = std::move(same);
        }
        outcome.cases.push_back(std::move(one));
        return;
    }
    // A solution may depend on the course's shape: so a fault in the small one counts only if that shape is right with
    // fewer levels.
    for (const WalkedRun& run : courseWalks(outcome.task, longest)) {
        CaseOutcome one = walkCaseOnHost(outcome.task, run, complete);
        const bool last = run.n == *std::prev(std::end(standInLengths));
        const bool goesOn = one.status == Status::passed && complete;
        if (last && one.status == Status::failed && saysSo(one)) {
            one.findings.push_back({"",
                                    fmt::format("work-groups of {} x {} stand for {} x {} here: these have three "
                                                "levels of tiles as well, beyond {} elements",
                                                run.shape.workGroup, run.shape.elements, courseShape.workGroup,
                                                courseShape.elements, courseTwoLevels),
                                    {},
                                    Severity::note});
            outcome.cases.push_back(std::move(one));
        }
        if (!goesOn) return;
    }
}

void HostWalks::lookAtLongArrays(TaskOutcome& outcome, std::uint64_t longest, bool demanded)
{
    if (outcome.isOver() || cases_.deviceFailed() || outcome.cases.empty()) return;
    const KernelShape own = cases_.shapeOfRun(outcome.task);
    for (const WalkedRun& run : longArrays(outcome.task, own, longest)) {
        CaseOutcome one = cases_.blankRandom(run.n, run.shape);
        one.limit = promisedGroups(gpu_);
        cases_.begin(outcome.task, one);
        cases_.progress(fmt::format("{}: recording n = {}", outcome.task.id, run.n));
        cases_.guarded(one, [&] {
            const WithLowerLimits limited(gpu_, one.limit);
            judge(one, lookAtRecording(gpu_, outcome.task, run, settings_.seed));
        });
        if (one.status != Status::failed) continue;
        const Finding* const first = firstThatFails(one.findings);
        const bool ofLimits = first->rule == "group-limit" || first->rule == "range-limit";
        if (demanded || !ofLimits) {
            outcome.cases.push_back(std::move(one));
            return;
        }
        outcome.cases.back().findings.push_back(
            {first->rule,
             fmt::format("recorded with n = {} in work-groups of {} x {}, {}; `a2 check` asks for it", run.n,
                         run.shape.workGroup, run.shape.elements, first->message),
             first->dispatch, Severity::note, "longer arrays"});
        return;
    }
}

}  // namespace a2
