#include "judge/ShapeWalk.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/OtherSchedules.h"
#include "judge/StudentSolution.h"
#include "judge/SuspectNumbers.h"
#include "judge/UnsetResult.h"
#include "lint/EmulatedFindings.h"
#include "lint/EmulatedSample.h"
#include "lint/RecordedLimits.h"
#include "lint/Rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace a2 {

namespace {

// For all kernels of a run. A large work-group does as much in one tile as small ones do in the longest run; and an
// array whose result on the device is in doubt is longer than any other (Orders). The budget lets every run that is
// walked whole reach its end: with two elements per invocation, a scan in shared memory takes some 700 instructions per
// element.
std::uint64_t mostInstructions(const KernelShape& shape, std::uint64_t n)
{
    const unsigned bits = n <= longestWalkedWhole ? 11 : n <= 1U << 20 ? 10 : 9;  // of instructions per element
    return std::max({std::uint64_t{1} << 24, std::uint64_t{shape.workGroup} << 16, n << bits});
}

EmulatorSettings settingsFor(const Device& gpu, std::uint64_t budget)
{
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = budget;
    return settings;
}

// Mesa's CPU driver ends an invocation after 65,535 iterations of its loops. There the invocations of a subgroup go
// through a loop together, as often as any of them: all its loops take more than those of one invocation.
constexpr std::uint64_t manyTurns = 32768;

// Adds the findings of a step. The place is that of the first.
void take(const Recording& recording, const EmulatedStep& step, Verdict& verdict)
{
    if (!anyFails(verdict.findings) && !step.walk.findings.empty()) {
        verdict.file = underShaders(step.walk.findings.front().where.file);
        verdict.line = step.walk.findings.front().where.line;
    }
    for (Finding& one : findingsOf(recording, step)) verdict.findings.push_back(std::move(one));
}

// Kernels whose dispatches are folded.
std::set<std::string> foldedKernels(const Recording& recording)
{
    std::set<std::string> folded;
    for (const RecordedCommand& command : recording.runs.front().commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command); one && one->pipeline && one->groups[1] > 1)
            folded.insert(recording.pipelines[*one->pipeline].shader);
    return folded;
}

std::vector<Finding> faultsOf(const Recording& recording, const RecordedRun& run)
{
    std::vector<Finding> findings;
    for (const auto* faults : {&recording.faults, &run.faults})
        for (const RecordedFault& one : *faults) findings.push_back({one.rule, one.message, one.dispatch});
    return findings;
}

// Whether what is folded on a device with few work-groups is folded in long arrays, too. A fixed grid is not, and need
// not be right when it is folded: every device starts at least Vulkan's minimum.
bool foldsLongArrays(Device& gpu, const Task& task, const KernelShape& shape, const std::set<std::string>& folded)
{
    const WithLowerLimits promised(gpu, promisedGroups(gpu));
    try {
        const std::set<std::string> inLong = foldedKernels(recordingOf(gpu, task, shape, foldedLength(shape)));
        return !folded.empty() && std::includes(inLong.begin(), inLong.end(), folded.begin(), folded.end());
    } catch (const KernelError&) {
        return false;
    }
}

// Work-groups of each dispatch.
std::vector<std::uint64_t> groupsOf(const Recording& recording)
{
    std::vector<std::uint64_t> all;
    for (const RecordedCommand& command : recording.runs.front().commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command))
            all.push_back(std::uint64_t{one->groups[0]} * one->groups[1] * one->groups[2]);
    return all;
}

// Whether a dispatch has fewer work-groups than on a device that starts more along x: then the remaining ones may do
// all the work, or work is left out.
bool startsFewer(Device& gpu, const Task& task, const WalkedRun& asked, const Recording& limited)
{
    const WithLowerLimits wide(gpu, asked.limit->withoutGroups());
    const std::vector<std::uint64_t> here = groupsOf(limited),
                                     there = groupsOf(recordingOf(gpu, task, asked.shape, asked.n));
    return here.size() == there.size() && !std::equal(here.begin(), here.end(), there.begin(), std::greater_equal());
}

// Places are counted only along x and y.
bool goesAlongZ(const Recording& recording)
{
    const auto& commands = recording.runs.front().commands;
    return std::any_of(commands.begin(), commands.end(), [](const RecordedCommand& command) {
        const auto* const one = std::get_if<RecordedDispatch>(&command);
        return one && one->groups[2] > 1;
    });
}

// Nothing if host code rejects such a device or does not keep to its limits.
std::optional<Recording> recordingWithin(Device& gpu, const Task& task, const WalkedRun& asked)
{
    const WithLowerLimits limited(gpu, asked.limit);
    try {
        Recording recording = recordingOf(gpu, task, asked.shape, asked.n);
        if (asked.limit && !beyondLimits(gpu.limits(), recording).empty()) return {};
        return recording;
    } catch (const KernelError&) {
        if (!asked.limit) throw;
        return {};
    }
}

// Whether a recording within these limits proves anything about real devices.
bool isTelling(Device& gpu, const Task& task, const WalkedRun& asked)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording || (asked.shape.places > 1 && goesAlongZ(*recording))) return false;
    return !asked.limit || asked.limit->x == 0 || startsFewer(gpu, task, asked, *recording) ||
           foldsLongArrays(gpu, task, asked.shape, foldedKernels(*recording));
}

// By kernel, the work-groups of its largest dispatch; leaves out kernels with folded dispatches.
std::map<std::string, std::uint32_t> groupsAlongX(const Recording& recording)
{
    std::map<std::string, std::uint32_t> most;
    const std::set<std::string> folded = foldedKernels(recording);
    for (const RecordedCommand& command : recording.runs.front().commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command); one && one->pipeline)
            if (const std::string& kernel = recording.pipelines[*one->pipeline].shader; folded.count(kernel) == 0)
                most[kernel] = std::max(most[kernel], one->groups[0]);
    return most;
}

// The numbers of work-groups that kernels are started with at every length. A fault can add others to them: if a fold's
// further rows are left out, its first row always has the same length, too.
std::set<std::uint32_t> fixedGrids(Device& gpu, const Task& task, const KernelShape& shape)
{
    const WithLowerLimits promised(gpu, promisedGroups(gpu));
    std::set<std::uint32_t> grids;
    try {
        const auto inLong = groupsAlongX(recordingOf(gpu, task, shape, foldedLength(shape)));
        for (const auto& [kernel, groups] : groupsAlongX(recordingOf(gpu, task, shape, foldedLength(shape) / 2)))
            if (const auto same = inLong.find(kernel); same != inLong.end() && same->second == groups)
                grids.insert(groups);
    } catch (const KernelError&) {
    }
    return grids;
}

// The same on a device that starts the largest fixed grid for which the host has room, and on an array so long that the
// other dispatches are folded there.
std::optional<WalkedRun> besideFixedGrid(Device& gpu, const Task& task, const WalkedRun& asked)
{
    if (!asked.limit || asked.limit->x == 0 || asked.limit->bindingBytes > 0) return {};
    std::optional<WalkedRun> longest;
    for (const std::uint32_t grid : fixedGrids(gpu, task, asked.shape)) {
        WalkedRun longer = asked;
        longer.limit->x = grid;
        longer.n = foldedTilesOn(grid) * asked.shape.tile();
        if (grid > asked.limit->x && longer.n <= largestOnHost) longest = longer;
    }
    return longest;
}

// The first run of a recording in the emulator's memory, with its input.
class WalkedInput {
public:
    WalkedInput(Device& gpu, const Task& task, const Recording& recording, const WalkedRun& run, const Input& input)
        : recording_(recording),
          run_(recording.runs.front()),
          settings_(settingsFor(gpu, run.budget > 0 ? run.budget : mostInstructions(run.shape, input.size()))),
          expectation_(*task.taskClass, input, run.shape),
          given_(givenWords(expectation_)),
          emulated_(recording, shadersOf(gpu), given_),
          phase_(gpu, "walking through the kernels on the host")
    {
    }

    HostWalk walk()
    {
        HostWalk walk;
        walk.verdict.findings = faultsOf(recording_, run_);
        if (!walk.verdict.findings.empty()) return walk;
        UnsetResult unset;
        walk.complete = emulated_.walk(run_, settings_, [&](const EmulatedStep& step) {
            take(recording_, step, walk.verdict);
            unset.see(recording_, step);
            free_ = free_ || step.walk.free;
            long_ = long_ || step.walk.mostTurns >= manyTurns;
        });
        if (!walk.complete) return walk;
        walk.verdict.mismatches = judged(run_);
        unset.judge(emulated_.buffer(run_.result), walk.verdict.mismatches, walk.verdict);
        return walk;
    }

    // The runs after walk(), on what the one before has left in memory that is kept from run to run.
    Verdict walkAgain()
    {
        const auto& runs = recording_.runs;
        if (std::none_of(recording_.buffers.begin(), recording_.buffers.end(), isKept)) return {};
        for (std::size_t i = 1; i < runs.size(); ++i) {
            const std::string where = fmt::format("in run {}, on the memory that the one before has left, ", i + 1);
            Verdict verdict;
            const bool complete =
                runs[i].faults.empty() &&
                emulated_.walk(runs[i], settings_, [&](const EmulatedStep& step) { take(recording_, step, verdict); });
            for (Finding& one : verdict.findings) one.message = where + one.message;
            if (complete) verdict.mismatches = judged(runs[i]);
            if (verdict.mismatches)
                verdict.findings.insert(
                    verdict.findings.begin(),
                    {"stale-state",
                     fmt::format("{}{}; {}", where, wrongText(*verdict.mismatches, expectation_.element()),
                                 ruleOf("stale-state")->cure),
                     {}});
            if (!verdict.passed() || !complete) return verdict;
        }
        return {};
    }

    // Valid after walk(). It calculated something that may differ on another device.
    bool isFree() const { return free_; }
    void be(const FreeDevice& device) { settings_.freedom = device.freedom; }
    bool usesSubgroups() { return emulated_.anyKernel(run_, std::mem_fn(&EmulatedKernel::usesSubgroups)); }
    std::uint32_t subgroupSize() const { return settings_.subgroupSize; }
    void haveSubgroupsOf(std::uint32_t size) { settings_.subgroupSize = size; }
    std::string wrong() const
    {
        const auto mismatches = judged(run_);
        return mismatches ? wrongText(*mismatches, expectation_.element()) : "";
    }

    bool mayDiffer() { return a2::mayDiffer(emulated_, run_); }  // in other orders

    bool mayLose() { return a2::mayLose(emulated_, run_); }

    Verdict walkLosses()
    {
        const std::vector<EmulatedBuffer> fresh = emulated_.memory();
        OtherSchedules schedules(emulated_, run_, settings_, given_, fresh);
        schedules.judgeBy([&] { return wrong(); });
        return schedules.verdictOf(schedules.firstLossThatFails());
    }

    OrderedWalks walkInOrders(bool others)
    {
        const std::vector<EmulatedBuffer> fresh = others ? emulated_.memory() : std::vector<EmulatedBuffer>();
        const HostWalk usual = walk();
        const bool right = usual.complete && usual.verdict.passed();
        const bool isCut = !usual.complete && usual.verdict.passed();
        if (!right || !others) return {right, isCut, false, false, false, long_, {}};
        OtherSchedules schedules(emulated_, run_, settings_, given_, fresh);
        schedules.judgeBy([&] { return wrong(); });
        Verdict verdict = schedules.verdictOf(schedules.firstThatFails({}));
        return {verdict.passed(), false, schedules.waited(), true, mayLose(), long_, std::move(verdict)};
    }

private:
    std::optional<Mismatches> judged(const RecordedRun& run) const
    {
        return a2::judged(emulated_.buffer(run.result).words(), expectation_);
    }

    const Recording& recording_;
    const RecordedRun& run_;
    EmulatorSettings settings_;
    Expectation expectation_;
    GivenWords given_;
    EmulatedRun emulated_;
    InPhase phase_;
    bool free_ = false, long_ = false;
};

// The same on another device. what: which one. rule: for a wrong result there. Passes also if the walk does not end.
Verdict onOtherDevice(WalkedInput& walked, const std::string& what, const std::string& rule)
{
    HostWalk there = walked.walk();
    if (there.complete ? there.verdict.passed() : !anyFails(there.verdict.findings)) return {};
    Verdict verdict;
    verdict.file = there.verdict.file;
    verdict.line = there.verdict.line;
    const std::string wrong = walked.wrong();
    if (there.verdict.mismatches)
        verdict.findings.push_back({rule, fmt::format("{}, {}; on this device it is right", what, wrong), {}});
    for (Finding& one : there.verdict.findings) {
        one.message = what + ", " + one.message;
        verdict.findings.push_back(std::move(one));
    }
    return verdict;
}

// On devices that use their freedom otherwise, with subgroups of this size if one is given. The notes of the walk name
// the calculation.
Verdict onFreeDevices(const std::function<WalkedInput()>& fresh, std::optional<std::uint32_t> subgroupSize = {})
{
    for (const FreeDevice& device : freeDevices()) {
        WalkedInput walked = fresh();
        walked.be(device);
        if (subgroupSize) walked.haveSubgroupsOf(*subgroupSize);
        const std::string what = subgroupSize ? subgroupsText(*subgroupSize) + ", " + device.what : device.what;
        if (Verdict there = onOtherDevice(walked, what, ""); !there.passed()) return there;
    }
    return {};
}

Verdict withSubgroupsOf(const std::vector<std::uint32_t>& sizes, const std::function<WalkedInput()>& fresh)
{
    for (const std::uint32_t size : sizes) {
        WalkedInput walked = fresh();
        if (size == walked.subgroupSize()) continue;
        walked.haveSubgroupsOf(size);
        Verdict there = onOtherDevice(walked, subgroupsText(size), "subgroup-size");
        // Such as a shift by the number of an invocation, which is too far only in large subgroups.
        if (there.passed() && walked.isFree()) there = onFreeDevices(fresh, size);
        if (!there.passed()) return there;
    }
    return {};
}

// See WalkedRun::triesSuspectNumbers. Returns the first walk that fails.
std::optional<HostWalk> onSuspectNumbers(Device& gpu, const Task& task, const Recording& recording,
                                         const WalkedRun& run)
{
    if (task.element != &ElementType::uint32) return {};
    for (const std::uint32_t number : suspectNumbers(gpu, recording, run.n)) {
        const Pattern pattern = Pattern::oneHot(0, number);
        WalkedRun with = run;
        with.pattern = pattern.text();
        const Input input = task.inputOf(pattern, run.n, 0);
        HostWalk walk = WalkedInput(gpu, task, recording, run, input).walk();
        walk.run = with;
        if (!walk.verdict.passed()) return walk;
    }
    return {};
}

}  // namespace

std::vector<Finding> beyondLargestAlignment(Device& gpu, const Task& task, const Recording& recording,
                                            const WalkedRun& run)
{
    const bool isAligned = std::ranges::all_of(recording.sets, [](const RecordedSet& set) {
        return std::ranges::all_of(set.ranges, [](const auto& one) { return one.offset % largestAlignment == 0; });
    });
    if (isAligned) return {};
    const WithLowerLimits limited(gpu, run.limit);
    const WithLargestAlignment aligned(gpu);
    std::vector<Finding> findings = beyondLimits(gpu.limits(), recordingOf(gpu, task, run.shape, run.n));
    for (Finding& one : findings)
        one.message = "on a device with the largest alignment that Vulkan allows, " + one.message;
    return findings;
}

bool keepsToLimits(Device& gpu, const Task& task, const WalkedRun& run)
{
    return !run.limit || recordingWithin(gpu, task, run).has_value();
}

std::optional<WalkedRun> runToWalk(Device& gpu, const Task& task, const WalkedRun& asked)
{
    if (isTelling(gpu, task, asked)) return asked;
    std::optional<WalkedRun> longer = besideFixedGrid(gpu, task, asked);
    if (longer && !isTelling(gpu, task, *longer)) return {};
    return longer;
}

HostWalk walkOnHost(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    const std::optional<WalkedRun> run = runToWalk(gpu, task, asked);
    if (!run) return {};
    const Recording recording = *recordingWithin(gpu, task, *run);
    const WithLowerLimits limited(gpu, run->limit);
    const Input input = task.inputOf(task.patternOf(run->pattern), run->n, seed);
    const auto fresh = [&] { return WalkedInput(gpu, task, recording, *run, input); };
    WalkedInput walked = fresh();
    HostWalk walk = walked.walk();
    walk.run = run;
    if (walk.complete && walk.verdict.passed())
        if (Verdict again = walked.walkAgain(); !again.passed()) walk.verdict = std::move(again);
    if (walk.complete && walk.verdict.passed() && walked.isFree())
        if (Verdict there = onFreeDevices(fresh); !there.passed()) walk.verdict = std::move(there);
    if (walk.complete && walk.verdict.passed() && !run->subgroupSizes.empty() && walked.usesSubgroups())
        if (Verdict there = withSubgroupsOf(run->subgroupSizes, fresh); !there.passed())
            walk.verdict = std::move(there);
    if (walk.complete && walk.verdict.passed())
        for (Finding& one : beyondLargestAlignment(gpu, task, recording, *run))
            walk.verdict.findings.push_back(std::move(one));
    if (walk.complete && walk.verdict.passed() && run->triesSuspectNumbers)
        if (auto wrong = onSuspectNumbers(gpu, task, recording, *run); wrong) walk = std::move(*wrong);
    return walk;
}

std::uint32_t subgroupsThatSuit(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording) return 0;
    const Input input = task.inputOf(task.patternOf(asked.pattern), asked.n, seed);
    const auto isRight = [&](std::uint32_t size) {
        WalkedInput walked(gpu, task, *recording, asked, input);
        if (!walked.usesSubgroups()) return size == gpu.subgroupSize;
        walked.haveSubgroupsOf(size);
        const HostWalk walk = walked.walk();
        return walk.complete && walk.verdict.passed();
    };
    if (isRight(gpu.subgroupSize)) return 0;
    for (const std::uint32_t size : {32U, 64U, 16U, 8U, 4U, 128U})
        if (size != gpu.subgroupSize && isRight(size)) return size;
    return 0;
}

OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& asked, const Input& input, bool others)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording) return {};
    WalkedInput walked(gpu, task, *recording, asked, input);
    return walked.walkInOrders(others);
}

OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording) return {};
    const Input input = task.inputOf(Pattern::parse("random"), asked.n, seed);
    WalkedInput walked(gpu, task, *recording, asked, input);
    return walked.mayDiffer() ? walked.walkInOrders(true) : OrderedWalks();
}

Verdict walkLosses(Device& gpu, const Task& task, const WalkedRun& asked, const Input& input)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    return recording ? WalkedInput(gpu, task, *recording, asked, input).walkLosses() : Verdict();
}

Verdict lookAtRecording(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    Verdict verdict;
    try {
        const Recording recording = recordingOf(gpu, task, asked.shape, asked.n);
        const RecordedRun& run = recording.runs.front();
        verdict.findings = faultsOf(recording, run);
        if (verdict.findings.empty()) verdict.findings = beyondLimits(gpu.limits(), recording);
        if (!verdict.findings.empty()) return verdict;
        const InPhase walking(gpu, "walking through some work-groups on the host");
        // Any numbers will do as block offsets: nothing is compared with a reference here.
        const auto given = [&](RecordedBuffer::Role, std::uint64_t word) { return randomElement(seed, word); };
        const EmulatorSettings settings = settingsFor(gpu, std::uint64_t{1} << 18);
        walkSample(recording, run, shadersOf(gpu), given, settings,
                   {{}, [&](const EmulatedStep& step) { take(recording, step, verdict); }});
    } catch (const LimitError&) {
    } catch (const KernelError&) {
    } catch (const std::bad_alloc&) {
    }
    return verdict;
}

}  // namespace a2
