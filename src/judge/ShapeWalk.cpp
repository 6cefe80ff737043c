#include "judge/ShapeWalk.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/EmulatedLook.h"
#include "judge/Matrix.h"
#include "judge/OtherSchedules.h"
#include "judge/StudentSolution.h"
#include "lint/EmulatedFindings.h"
#include "lint/EmulatedSample.h"
#include "lint/RecordedLimits.h"

#include <algorithm>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <variant>

namespace a2 {

namespace {

constexpr std::uint64_t mostInstructions = std::uint64_t{1} << 24;  // of all kernels of a run

EmulatorSettings settingsFor(const Device& gpu)
{
    EmulatorSettings settings;
    settings.subgroupSize = gpu.subgroupSize;
    settings.budget = mostInstructions;
    return settings;
}

// Adds what was found in a step. The place is that of the first.
void take(const Recording& recording, const EmulatedStep& step, Verdict& verdict)
{
    if (!anyFails(verdict.findings) && !step.walk.findings.empty()) {
        verdict.file = underShaders(step.walk.findings.front().where.file);
        verdict.line = step.walk.findings.front().where.line;
    }
    for (Finding& one : findingsOf(recording, step)) verdict.findings.push_back(std::move(one));
}

// Whose dispatches are folded.
std::set<std::string> foldedKernels(const Recording& recording)
{
    std::set<std::string> folded;
    for (const RecordedCommand& command : recording.runs.front().commands)
        if (const auto* one = std::get_if<RecordedDispatch>(&command); one && one->pipeline && one->groups[1] > 1)
            folded.insert(recording.pipelines[*one->pipeline].shader);
    return folded;
}

// Whether what is folded on a device of few work-groups is folded in long arrays, too. A fixed grid is not, and need
// not be right where it is: no device starts fewer than Vulkan promises.
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

// Whether a dispatch has fewer work-groups than where the device starts more along x: those that are left may do it
// all, or work is left out.
bool startsFewer(Device& gpu, const Task& task, const WalkedRun& asked, const Recording& limited)
{
    const WithLowerLimits wide(gpu, asked.limit->withoutGroups());
    const std::vector<std::uint64_t> here = groupsOf(limited),
                                     there = groupsOf(recordingOf(gpu, task, asked.shape, asked.n));
    return here.size() == there.size() && !std::equal(here.begin(), here.end(), there.begin(), std::greater_equal());
}

std::uint64_t threeLevels(std::uint64_t tile) { return tile * tile + tile + 3; }

KernelShape shapeOf(const Task& task, std::uint32_t workGroup, std::uint32_t elements, bool exclusive)
{
    KernelShape shape;
    shape.workGroup = workGroup;
    shape.elements = static_cast<std::uint32_t>(ceilDiv(elements, task.elementsUnit) * task.elementsUnit);
    shape.exclusive = exclusive;
    return shape;
}

// With vectors of four elements; without them, and in places, below.
WalkedRun folded(const Task& task, bool exclusive)
{
    const KernelShape shape = shapeOf(task, smallestWorkGroup, 8, exclusive);
    return {shape, foldedTiles * shape.tile(), foldsSoon};
}

// Two slices, and a few tiles: no more elements than are walked on the host. A binding takes a little more than a
// slice, and tiles are not the shortest, so that what a solution keeps for each tile fits as well.
WalkedRun sliced(const Task& task, bool exclusive, std::uint32_t groupsAlongX = 0)
{
    const KernelShape shape = shapeOf(task, smallestWorkGroup, 8, exclusive);
    const std::uint64_t slice = elementsOfAlignment * shape.tile();
    const auto bytes = static_cast<std::uint32_t>((slice + slice / 4) * sizeof(std::uint32_t));
    return {shape, 2 * slice + 3 * shape.tile() + 1, LowerLimits{groupsAlongX, groupsAlongX > 0 ? 65535U : 0, bytes}};
}

// As of arrays so long that tiles next to each other in time would meet in the same rows of memory.
WalkedRun inPlaces(const Task& task, bool exclusive)
{
    KernelShape shape = shapeOf(task, smallestWorkGroup, 2, exclusive);
    shape.places = 4;
    return {shape, foldedTiles * shape.tile(), foldsSoon};
}

// Places are counted along x and y alone.
bool goesAlongZ(const Recording& recording)
{
    const auto& commands = recording.runs.front().commands;
    return std::any_of(commands.begin(), commands.end(), [](const RecordedCommand& command) {
        const auto* const one = std::get_if<RecordedDispatch>(&command);
        return one && one->groups[2] > 1;
    });
}

}  // namespace

std::vector<WalkedRun> walkedShapes(const Device& gpu, const Task& task, ScanKinds kinds)
{
    struct Kind {
        std::uint32_t workGroup, elements;
    };
    const std::uint32_t largest = matrixWorkGroups(gpu).back();
    std::vector<WalkedRun> runs;
    std::set<KernelShape> known;
    for (const Kind& kind : {Kind{4, 2}, Kind{4, 6}, Kind{8, 4}, Kind{4, 8}, Kind{4, 12}, Kind{4, 16}, Kind{25, 2},
                             Kind{96, 10}, Kind{129, 2}, Kind{257, 2}, Kind{64, 32}, Kind{256, 2}, Kind{largest, 2}})
        for (const bool exclusive : {false, true}) {
            if (exclusive ? kinds == ScanKinds::inclusive || !task.taskClass->hasExclusive
                          : kinds == ScanKinds::exclusive && task.taskClass->hasExclusive)
                continue;
            const KernelShape shape = shapeOf(task, kind.workGroup, kind.elements, exclusive);
            if (shape.workGroup > largest || !known.insert(shape).second) continue;
            const std::uint64_t tile = shape.tile();
            const std::uint64_t two = 2 * tile + tile / 2 + 1, three = threeLevels(tile);
            if (const std::uint64_t n = std::min(two, largestOnHost); n > tile) runs.push_back({shape, n});
            if (three <= largestOnHost) runs.push_back({shape, three});
            if (kind.workGroup != smallestWorkGroup || kind.elements != 2) continue;
            runs.push_back(folded(task, exclusive));
            runs.push_back(sliced(task, exclusive, 16));
            runs.push_back(inPlaces(task, exclusive));
        }
    return runs;
}

std::vector<WalkedRun> shortDeviceRuns(const Task& task, bool exclusive)
{
    const KernelShape smallest = shapeOf(task, smallestWorkGroup, task.elementsUnit, exclusive);
    return {{smallest, threeLevels(smallest.tile())}, sliced(task, exclusive)};
}

namespace {

// Nothing where host code says that such a device is not enough, or does not keep to it.
std::optional<Recording> recordingWithin(Device& gpu, const Task& task, const WalkedRun& asked)
{
    const WithLowerLimits limited(gpu, asked.limit);
    try {
        Recording recording = recordingOf(gpu, task, asked.shape, asked.n);
        if (asked.limit && !beyondLimits(gpu, recording).empty()) return {};
        return recording;
    } catch (const KernelError&) {
        if (!asked.limit) throw;
        return {};
    }
}

std::optional<Mismatches> judged(const EmulatedRun& emulated, const RecordedRun& run, const Expectation& expectation)
{
    Judge judge(expectation);
    const auto words = emulated.buffer(run.result).words();
    judge.look(words.first(std::min<std::size_t>(words.size(), expectation.resultSize())));
    return judge.verdict();
}

HostWalk walkThrough(Device& gpu, const Task& task, const Recording& recording, const WalkedRun& asked,
                     std::uint64_t seed)
{
    gpu.enter("walking through the kernels on the host");
    const Input input(Pattern::parse("random"), asked.n, seed);
    const Expectation expectation(*task.taskClass, input, asked.shape);
    const GivenWords given = givenWords(expectation);
    const RecordedRun& run = recording.runs.front();
    HostWalk walk;
    for (const auto* faults : {&std::as_const(recording).faults, &run.faults})
        for (const RecordedFault& one : *faults) walk.verdict.findings.push_back({one.rule, one.message, one.dispatch});
    if (!walk.verdict.findings.empty()) return walk;
    EmulatedRun emulated(recording, shadersOf(gpu), given);
    walk.complete =
        emulated.walk(run, settingsFor(gpu), [&](const EmulatedStep& step) { take(recording, step, walk.verdict); });
    if (!walk.complete) return walk;
    walk.verdict.mismatches = judged(emulated, run, expectation);
    return walk;
}

}  // namespace

bool keepsToLimits(Device& gpu, const Task& task, const WalkedRun& run)
{
    return !run.limit || recordingWithin(gpu, task, run).has_value();
}

HostWalk walkOnHost(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording || (asked.shape.places > 1 && goesAlongZ(*recording))) return {};
    if (asked.limit && asked.limit->x > 0 && !startsFewer(gpu, task, asked, *recording) &&
        !foldsLongArrays(gpu, task, asked.shape, foldedKernels(*recording)))
        return {};
    const WithLowerLimits limited(gpu, asked.limit);
    return walkThrough(gpu, task, *recording, asked, seed);
}

OrderedWalks walkInOrders(Device& gpu, const Task& task, const WalkedRun& asked, const Input& input, bool others)
{
    const std::optional<Recording> recording = recordingWithin(gpu, task, asked);
    if (!recording) return {};
    const Expectation expectation(*task.taskClass, input, asked.shape);
    const GivenWords given = givenWords(expectation);
    const RecordedRun& run = recording->runs.front();
    EmulatedRun emulated(*recording, shadersOf(gpu), given);
    const std::vector<EmulatedBuffer> fresh = emulated.memory();
    Verdict verdict;
    const auto wrong = [&]() -> std::string {
        const auto mismatches = judged(emulated, run, expectation);
        return mismatches ? wrongText(*mismatches) : "";
    };
    OrderedWalks walks;
    walks.right =
        emulated.walk(run, settingsFor(gpu), [&](const EmulatedStep& step) { take(*recording, step, verdict); }) &&
        verdict.passed() && wrong().empty();
    if (!walks.right || !others) return walks;
    OtherSchedules schedules(emulated, run, settingsFor(gpu), given, fresh);
    schedules.judgeBy(wrong);
    walks.right = !schedules.firstThatFails({});
    walks.waited = schedules.waited();
    return walks;
}

std::uint64_t foldedLength(const KernelShape& shape) { return manyTiles * shape.tile(); }

std::optional<LowerLimits> promisedGroups(const Device& gpu)
{
    constexpr std::uint32_t promised = 65535;
    const auto& own = gpu.limits().maxComputeWorkGroupCount;
    if (own[0] <= promised && own[1] <= promised) return {};
    return LowerLimits{std::min(own[0], promised), std::min(own[1], promised)};
}

std::vector<WalkedRun> recordedLengths(const Device& gpu, const Task& task, const KernelShape& own)
{
    constexpr std::uint64_t twoRows = 2 * 65535 + 1;  // tiles of three folded rows
    const std::uint64_t longest = gpu.limits().maxStorageBufferRange / sizeof(std::uint32_t) / 4 * 3;
    KernelShape small = own, smallest = own;
    small.workGroup = 64;
    smallest.workGroup = smallestWorkGroup;
    small.elements = smallest.elements = task.elementsUnit;
    small.places = smallest.places = 1;
    return {{own, longest},
            {small, std::min(longest, twoRows * small.tile())},
            {smallest, std::min(longest, manyTiles * smallest.tile())}};
}

Verdict lookAtRecording(Device& gpu, const Task& task, const WalkedRun& asked, std::uint64_t seed)
{
    Verdict verdict;
    try {
        const Recording recording = recordingOf(gpu, task, asked.shape, asked.n);
        const RecordedRun& run = recording.runs.front();
        if (!recording.faults.empty() || !run.faults.empty()) return verdict;
        verdict.findings = beyondLimits(gpu, recording);
        if (!verdict.findings.empty()) return verdict;
        gpu.enter("walking through some work-groups on the host");
        // Any numbers will do as block offsets: nothing is compared with a reference here.
        const auto given = [&](RecordedBuffer::Role, std::uint64_t word) { return randomElement(seed, word); };
        EmulatorSettings settings = settingsFor(gpu);
        settings.budget = std::uint64_t{1} << 18;
        walkSample(recording, run, shadersOf(gpu), given, settings,
                   [&](const EmulatedStep& step) { take(recording, step, verdict); });
    } catch (const LimitError&) {
    } catch (const KernelError&) {
    } catch (const std::bad_alloc&) {
    }
    return verdict;
}

}  // namespace a2
