#include "judge/Orders.h"

#include "gpu/Device.h"
#include "judge/EmulatedLook.h"
#include "judge/ShapeWalk.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <string_view>

namespace a2 {

std::pair<std::uint64_t, KernelShape> Orders::scheduled(const Task& task, const KernelShape& own) const
{
    constexpr std::uint64_t tiles = 12;
    KernelShape shape = own;
    if (!settings_.course) {
        shape.workGroup = settings_.workGroup.value_or(std::min<std::uint32_t>(16, own.workGroup));
        shape.elements = settings_.elements.value_or(task.elementsUnit);
    }
    const std::uint64_t n = std::min(largestOnHost, tiles * shape.tile() - 3);
    return {settings_.course ? std::bit_floor(n) : n, shape};
}

void Orders::walkOrders(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    const auto [n, shape] = scheduled(outcome.task, own);
    if (settings_.schedule || cases_.together() || n > longest) return;
    WalkedRun run{shape, n, {}};
    cases_.progress(fmt::format("{}: walking other orders on the host", outcome.task.id));
    CaseOutcome one = cases_.blankRandom(n, shape);
    run.limit = one.limit;
    bool tried = false, mayLose = false;
    cases_.limited(outcome.task, one, [&] {
        const OrderedWalks there = walkInOrders(gpu_, outcome.task, run, settings_.seed);
        tried = there.others;
        mayLose = there.mayLose;
        judge(one, there.verdict);
    });
    if (!tried) return;  // its other cases report the fault
    tried_.insert(outcome.task.id);
    if (one.status == Status::passed)
        ordered_.insert(outcome.task.id);
    else
        outcome.cases.push_back(std::move(one));
    if (mayLose && !outcome.isOver()) walkLosses(outcome, own, longest);
}

std::pair<std::uint64_t, KernelShape> Orders::ofLosses(const Task& task, const KernelShape& own) const
{
    KernelShape shape = scheduled(task, own).second;
    if (!settings_.course && !settings_.workGroup) shape.workGroup = std::min<std::uint32_t>(256, own.workGroup);
    return {shape.tile(), shape};
}

// Equal elements all use the same word.
void Orders::walkLosses(TaskOutcome& outcome, const KernelShape& own, std::uint64_t longest)
{
    const auto [n, shape] = ofLosses(outcome.task, own);
    if (n > longest) return;
    CaseOutcome one = cases_.blank(Pattern::parse("ones"), n, shape);
    cases_.limited(outcome.task, one, [&] {
        const Input input = outcome.task.inputOf(Pattern::parse("ones"), one.n, settings_.seed);
        judge(one, a2::walkLosses(gpu_, outcome.task, {one.shape, one.n, one.limit}, input));
    });
    outcome.addUnlessPassed(std::move(one));
}

void Orders::lookFurther(const Task& task, Trial& trial, const Input& input, CaseOutcome& outcome)
{
    if (trial.runLint().talks()) talking_.insert(task.id);
    lookAtCpuDriver(task, input, outcome);
    lookElsewhere(task, trial, outcome);
}

// Finds what shows on other devices than this one, and in other orders of work-groups.
void Orders::lookElsewhere(const Task& task, Trial& trial, CaseOutcome& outcome)
{
    // The lengths around 1024: long enough for several work-groups. In a whole matrix the first and the last suffice.
    constexpr std::uint64_t shortest = 1000, longest = 1025;
    const bool between = outcome.n > shortest && outcome.n < longest && !settings_.course && !settings_.onlySize;
    const KernelShape smallTiles = {64, task.elementsUnit};
    const bool several = outcome.n >= shortest && outcome.n <= longest && !between && outcome.pattern == "random" &&
                         (cases_.hasOwnWorkGroup(task, outcome.shape) || outcome.shape == smallTiles);
    const bool inSlices = outcome.limit && outcome.limit->bindingBytes > 0 && outcome.limit != settings_.lowerLimits;
    const bool ordered = inSlices || std::pair(outcome.n, outcome.shape) == scheduled(task, outcome.shape);
    if (outcome.status == Status::passed && several) judge(outcome, trial.runLint().onOtherDevices());
    const bool tried = !inSlices && ordered_.count(task.id) > 0;  // on the host, in the same shape
    if (outcome.status == Status::passed && (settings_.schedule || (ordered && !tried)))
        judge(outcome, trial.runLint().onOtherSchedules(settings_.schedule));
    // If one work-group may wait for another, there must be several, whatever the task's own shape is.
    if (outcome.status == Status::passed && ordered && trial.runLint().talks())
        judge(outcome, trial.runLint().onOtherDevices());
}

// A work-group that waits for one that may not have started works on this device only by luck, and its result does not
// show why: some drivers end such a loop. If a result is wrong on this device and right on the host, another order on
// the host may be wrong too, and that explains the failure.
void Orders::lookForOrder(Trial& trial, CaseOutcome& outcome)
{
    if (!outcome.mismatches || anyFails(outcome.findings) || !trial.runLint().talks()) return;
    const auto says = [&](const Verdict& there, auto&& is) {
        const auto found = std::find_if(there.findings.begin(), there.findings.end(), is);
        if (found == there.findings.end()) return false;
        outcome.findings.insert(outcome.findings.begin(), *found);
        outcome.place = {there.file, there.line, {}, false};
        return true;
    };
    if (says(trial.runLint().onOtherDevices(), [](const Finding& one) { return one.rule == "forward-progress"; }))
        return;
    if (trial.runLint().isRight())
        says(trial.runLint().onOtherSchedules({}),
             [](const Finding& one) { return one.severity == Severity::failure; });
}

// Mesa's CPU driver ends an invocation after 65,535 iterations of its loops, without a message. If one work-group waits
// for another, and a result is wrong on that driver but right on the host for the same input in every order, the
// failure concerns the driver only, and gives no verdict. The same holds if invocations need that many iterations, also
// if the walk does not come to its end for that reason. If a work-group does not fill its subgroups, the unused places
// continue in loops whose end is read from memory, and use up these iterations: then the host's result is the verdict.
void Orders::lookAtCpuDriver(const Task& task, const Input& input, CaseOutcome& outcome)
{
    // Seen only in the device's memory; the walk below finds the same if it is the kernel's fault.
    static const std::set<std::string_view> inMemory = {"stale-state", "unwritten-output", "out-of-bounds",
                                                        "input-modified"};
    const bool byResult = std::all_of(outcome.findings.begin(), outcome.findings.end(), [&](const Finding& one) {
        return one.severity == Severity::note || inMemory.count(one.rule) > 0 ||
               (one.rule.empty() && outcome.mismatches);
    });
    if (outcome.status != Status::failed || !byResult || !gpu_.isCpu() || gpu_.isEmulated()) return;
    const bool known = rightInOrders_.count(task.id) > 0;
    const bool fills = outcome.shape.workGroup % gpu_.subgroupSize == 0;
    const bool talks = known || talking_.count(task.id) > 0 || !fills;
    // A walk takes about ten seconds. For a longer array a shorter one is walked: a kernel that takes too many
    // iterations there takes more in the long one.
    constexpr std::uint64_t longest = std::uint64_t{1} << 22, shorter = std::uint64_t{1} << 20;
    const std::uint64_t n = outcome.n <= (talks ? longest : shorter) ? outcome.n : shorter;
    WalkedRun failed{outcome.shape, n, outcome.limit};
    failed.budget = std::uint64_t{1} << 29;  // a few seconds
    const bool isLong = n > largestOnHost;
    const auto cut = cutAt_.find(task.id);
    const bool isKnown = cut != cutAt_.end() && n >= cut->second;  // longer ones would take as much for nothing
    OrderedWalks walks =
        isKnown ? OrderedWalks{.isCut = true}
        : n == outcome.n
            ? walkInOrders(gpu_, task, failed, input, !known && !isLong)
            : walkInOrders(gpu_, task, failed, task.inputOf(Pattern::parse("random"), n, settings_.seed), false);
    // Who needs so many instructions for an element goes through the others for each: in a walk that is cut short, the
    // longest loops are yet to come.
    constexpr std::uint64_t ofAnElement = 4096;
    const bool isCut = isKnown || (walks.isCut && failed.budget >= ofAnElement * n);
    if (isCut) cutAt_.try_emplace(task.id, n);
    const bool manyTurns = walks.isLong || isCut;
    // One order of a long array takes seconds. Its other orders are replaced by those of a few tiles.
    if (const auto [small, shape] = scheduled(task, outcome.shape); walks.right && !known && isLong)
        if (const OrderedWalks few = walkInOrders(gpu_, task, {shape, small, outcome.limit}, settings_.seed);
            few.others)
            walks = few;
    if ((!walks.right && !isCut) || (!known && !walks.waited && !manyTurns && (fills || n != outcome.n))) return;
    if (!fills && !walks.waited && !manyTurns && n == outcome.n) {
        outcome.status = Status::passed;
        outcome.mismatches.reset();
        outcome.findings = {{"",
                             fmt::format("judged as walked on the host: this CPU driver calculates otherwise, as it "
                                         "does where work-groups of {} do not fill its subgroups of {}",
                                         outcome.shape.workGroup, gpu_.subgroupSize),
                             {},
                             Severity::note}};
        return;
    }
    const bool waits = known || walks.waited;
    if (waits) rightInOrders_.insert(task.id);
    outcome.status = Status::skipped;
    outcome.mismatches.reset();
    outcome.findings = {
        {"",
         fmt::format("walked on the host {}; this CPU driver, where it is not, ends an invocation after 65,535 "
                     "turns of its loops and says nothing, and here {}: judge it with `-d emulator`, or on a GPU "
                     "(docs/failing.md)",
                     isCut ? "it has no fault, as far as it was followed" : "it is right",
                     waits ? "work-groups wait for others in a loop" : "an invocation takes about as many, or more"),
         {}}};
}

}  // namespace a2
