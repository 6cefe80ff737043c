#include "judge/Method.h"

#include "a2/Error.h"
#include "gpu/Shaders.h"
#include "judge/EmulatedLook.h"
#include "judge/MethodFacts.h"
#include "judge/StepModel.h"
#include "spirv/SharedSums.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>
#include <utility>

namespace a2 {

namespace {

// A criterion's name comes from told(), below.
struct Look {
    bool met = true;
    std::string evidence;
    std::string file = {};
    std::uint32_t line = 0;
};
using Looks = std::optional<Look> (*)(const MethodFacts& facts, const SharedSums& sums);  // empty: cannot be decided

// Steps that reduce n elements to one, each by `factor`.
std::uint64_t stepsFor(std::uint64_t n, std::uint64_t factor)
{
    std::uint64_t steps = 0;
    for (; n > 1; n = ceilDiv(n, factor)) ++steps;
    return steps;
}

// A dispatch in which invocations do more one after another than their own few elements ask for: they do the work of
// many, and other dispatches are for show.
std::optional<Look> longDispatch(const MethodFacts& facts)
{
    const std::uint64_t allowed = std::max<std::uint64_t>(256, 8 * facts.shape.elements);
    for (const MethodDispatch& one : facts.dispatches)
        if (one.steps > allowed)
            return Look{false,
                        fmt::format("dispatch {} takes {} steps one after another: a step of its own, in parallel, is "
                                    "asked of each",
                                    one.number, one.steps),
                        facts.fileOf(one)};
    return std::nullopt;
}

std::string dispatchesText(const MethodFacts& facts)
{
    const std::size_t count = facts.dispatches.size();
    return fmt::format("{} dispatch{} for {} elements", count, count == 1 ? "" : "es", facts.n);
}

// ---- Trees in global memory

// An invocation may add up any number of elements, but not a whole tile.
std::optional<Look> oneDispatchPerTreeStep(const MethodFacts& facts, const SharedSums&)
{
    constexpr std::uint64_t mostElements = 64;  // of an invocation, as --elements has it
    const MethodDispatch& first = facts.first();
    std::uint64_t own = 2;
    for (const MethodDispatch& dispatch : facts.dispatches)
        own = std::max(own, ceilDiv(dispatch.read, dispatch.written));
    const std::uint64_t factor = std::max<std::uint64_t>(facts.shape.elements, std::min(own, mostElements));
    const std::uint64_t needed = stepsFor(facts.n, factor);
    const std::string count = fmt::format("{}: one per step of the tree needs {}", dispatchesText(facts), needed);
    const auto inShared = std::find_if(facts.dispatches.begin(), facts.dispatches.end(),
                                       [](const MethodDispatch& one) { return one.usesShared; });
    if (inShared != facts.dispatches.end())
        return Look{false, fmt::format("dispatch {} takes steps in shared memory; {}", inShared->number, count),
                    facts.fileOf(*inShared)};
    if (facts.dispatches.size() < needed) return Look{false, count, facts.fileOf(first)};
    if (const auto serial = longDispatch(facts)) return serial;
    return Look{true, count, facts.fileOf(first)};
}

// Which elements the first dispatch has added up, derived from its first sum.
struct Partners {
    std::uint64_t count = 0, distance = 0;
};

std::optional<Partners> partnersOf(const MethodFacts& facts)
{
    constexpr std::uint64_t most = 64;
    const auto& input = facts.input;
    const std::uint32_t wanted = facts.first().firstWritten;
    for (std::uint64_t distance = 1; distance < facts.n; ++distance) {
        std::uint32_t sum = input[0];
        for (std::uint64_t count = 2; count <= most && (count - 1) * distance < facts.n; ++count) {
            sum += input[(count - 1) * distance];
            // An odd element at the end may be added to the first sum.
            if (sum == wanted || sum + input.back() == wanted) return Partners{count, distance};
        }
    }
    return std::nullopt;
}

std::string partnersText(const Partners& partners)
{
    return partners.count == 2 ? fmt::format("the first step adds elements 0 and {}", partners.distance)
                               : fmt::format("the first step adds elements 0, {}, ... {}", partners.distance,
                                             (partners.count - 1) * partners.distance);
}

std::optional<Look> interleavedAddressing(const MethodFacts& facts, const SharedSums&)
{
    const auto partners = partnersOf(facts);
    if (!partners) return std::nullopt;
    if (partners->distance == 1) return Look{true, partnersText(*partners) + ": neighbours"};
    return Look{false, partnersText(*partners) + ": interleaved addressing begins with neighbours",
                facts.fileOf(facts.first())};
}

std::optional<Look> sequentialAddressing(const MethodFacts& facts, const SharedSums&)
{
    const auto partners = partnersOf(facts);
    if (!partners) return std::nullopt;
    if (partners->distance > 1) return Look{true, partnersText(*partners) + ": chunks of the array"};
    return Look{false, partnersText(*partners) + ", neighbours: sequential addressing adds the halves of the array",
                facts.fileOf(facts.first())};
}

// ---- Trees in shared memory

std::optional<Look> oneResultPerGroup(const MethodFacts& facts, const SharedSums&)
{
    const MethodDispatch& main = facts.main();
    const std::string counts = fmt::format("dispatch {} writes {} for {}", main.number, plural(main.results, "sum"),
                                           plural(main.groups, "work-group"));
    if (main.results <= 2 * main.groups + 2) return Look{true, counts};
    return Look{false, counts + ": a work-group that reduces its tile writes one", facts.fileOf(main)};
}

std::optional<Look> fewDispatches(const MethodFacts& facts, const SharedSums&)
{
    const MethodDispatch& main = facts.main();
    const std::uint64_t oneByOne = stepsFor(facts.n, 2);
    if (main.workGroup < 2) return std::nullopt;
    // However many elements an invocation loads, its work-group reduces as many as it has invocations.
    const std::uint64_t levels = stepsFor(facts.n, main.workGroup);
    const bool many = facts.dispatches.size() >= oneByOne && oneByOne > 2 * levels;
    return Look{!many, many ? fmt::format("{}, one for each step of the tree: work-groups of {} need {}",
                                          dispatchesText(facts), main.workGroup, levels)
                            : dispatchesText(facts)};
}

constexpr std::uint64_t tellingGroup = 64;  // in smaller ones, too few steps to be distinguished from loads

// Where one invocation does the work of all.
std::optional<Look> oneForAll(const MethodFacts& facts)
{
    const MethodDispatch& main = facts.main();
    // A tree has one such step, its last; an invocation that adds up the subgroups' sums has several.
    const std::uint64_t allowed = std::max<std::uint64_t>(main.workGroup / 4 * 3, 2 * facts.shape.elements);
    if (main.workGroup < tellingGroup || main.alone <= allowed) return std::nullopt;
    return Look{false,
                fmt::format("work-groups of {} take {} steps with one active invocation: a tree of them takes {}",
                            main.workGroup, main.alone, stepsFor(main.workGroup, 2)),
                facts.fileOf(main)};
}

std::optional<Look> treeInSharedMemory(const MethodFacts& facts, const SharedSums& sums)
{
    const MethodDispatch& main = facts.main();
    if (main.workGroup < tellingGroup) return std::nullopt;
    if (!main.usesShared && !sums.subgroups) return Look{false, "no shared memory is used", facts.fileOf(main)};
    if (const auto serial = oneForAll(facts)) return serial;
    return Look{true, main.usesShared ? "work-groups add up in shared memory" : "subgroups add up"};
}

// Judged from the code: whichever steps are unrolled, they are more than one addition.
std::optional<Look> unrolledSteps(const MethodFacts& facts, const SharedSums& sums)
{
    if (sums.places == 0) return std::nullopt;
    if (const auto serial = oneForAll(facts)) return serial;
    if (sums.places > 1 || sums.inLoops == 0)
        return Look{true, fmt::format("{} of numbers in shared memory, {} of them in a loop with barrier()",
                                      plural(sums.places, "addition"), sums.inLoops)};
    return Look{
        false,
        "the only addition of numbers in shared memory stands in a loop with barrier(): write the last steps out",
        sums.line > 0 ? underShaders(sums.file) : facts.fileOf(facts.main()), sums.line};
}

std::optional<Look> sharedAtomic(const MethodFacts& facts, const SharedSums&)
{
    std::uint64_t count = 0;
    for (const MethodDispatch& one : facts.dispatches) count += one.sharedAtomics;
    if (count > 0) return Look{true, fmt::format("{} on shared memory", plural(count, "atomic operation"))};
    return Look{false, "no atomic operation on shared memory", facts.fileOf(facts.main())};
}

std::optional<Look> subgroupArithmetic(const MethodFacts& facts, const SharedSums& sums)
{
    if (sums.subgroups) return Look{true, "subgroups add up"};
    return Look{false, "the kernel has no subgroup operation", facts.fileOf(facts.main())};
}

// ---- Scans

std::optional<Look> oneDispatchPerDoubling(const MethodFacts& facts, const SharedSums&)
{
    const std::uint64_t needed = stepsFor(facts.n - (facts.shape.exclusive ? 1 : 0), 2);
    const std::string count = fmt::format("{}: one per step needs {}", dispatchesText(facts), needed);
    if (facts.dispatches.size() < needed) return Look{false, count, facts.fileOf(facts.main())};
    if (const auto serial = longDispatch(facts)) return serial;
    return Look{true, count, facts.fileOf(facts.main())};
}

std::optional<Look> pingPong(const MethodFacts& facts, const SharedSums&)
{
    const auto inPlace = std::find_if(facts.dispatches.begin(), facts.dispatches.end(),
                                      [&](const MethodDispatch& one) { return one.readAndWritten > facts.n / 4; });
    if (inPlace == facts.dispatches.end()) return Look{true, "no dispatch writes over what it reads"};
    return Look{false,
                fmt::format("dispatch {} writes over {} that it reads: read one array and write the other",
                            inPlace->number, plural(inPlace->readAndWritten, "element")),
                facts.fileOf(*inPlace)};
}

// Additions grow with n, not with n log n. If work-groups or lengths are too small for a difference, this cannot be
// decided.
std::optional<Look> workEfficient(const MethodFacts& facts, const SharedSums&)
{
    constexpr std::uint64_t smallestTile = 512, shortest = 1000;
    const MethodDispatch& main = facts.main();
    const std::uint64_t filledUp = std::max(facts.n, main.groups * facts.shape.tile());  // tiles are padded with zeros
    const std::uint64_t tile = ceilDiv(filledUp, main.groups);
    std::uint64_t all = 0;
    for (const MethodDispatch& one : facts.dispatches) all += one.additions;
    const auto tooMany = [&](std::uint64_t additions, std::uint64_t length) {
        const auto logarithm = static_cast<std::uint64_t>(std::bit_width(length) - 1);
        return additions > filledUp * logarithm / 4 * 3;
    };
    if (const auto serial = oneForAll(facts)) return serial;
    const bool tells = tile >= smallestTile || facts.n >= shortest;
    if (!tells) return std::nullopt;
    const bool inTiles = tile >= smallestTile && tooMany(main.additions, tile);
    const bool inAll = facts.n >= shortest && tooMany(all, facts.n);
    const std::string counts =
        fmt::format("{} additions for {} elements ({} with what fills up the tiles)", all, facts.n, filledUp);
    if (!inTiles && !inAll) return Look{true, counts};
    return Look{false, counts + ": a work-efficient scan makes 2 to 4 for each", facts.fileOf(main)};
}

std::optional<Look> noBankConflicts(const MethodFacts& facts, const SharedSums& sums)
{
    const MethodDispatch& main = facts.main();
    if (main.workGroup < tellingGroup) return std::nullopt;
    if (!main.usesShared && sums.subgroups)
        return Look{true, "subgroups exchange numbers, and no shared memory is used"};
    if (!main.usesShared)
        return Look{false, "no shared memory is used: nothing is kept free of conflicts there", facts.fileOf(main)};
    const std::string worst = fmt::format("worst bank conflict {}-way, of 32 banks", main.worstConflict);
    // Other paddings may leave a few conflicts; a vector uses one bank for each of its components.
    if (main.worstConflict <= 2 * sums.widest) return Look{true, worst};
    return Look{false, worst + ": pad the addresses in shared memory", facts.fileOf(main)};
}

std::optional<Look> blockSums(const MethodFacts& facts, const SharedSums&)
{
    if (facts.n < 4 * facts.shape.tile()) return std::nullopt;
    std::vector<Index> pipelines;
    for (const MethodDispatch& one : facts.dispatches) pipelines.push_back(one.pipeline);
    std::sort(pipelines.begin(), pipelines.end());
    pipelines.erase(std::unique(pipelines.begin(), pipelines.end()), pipelines.end());
    const std::string counts = fmt::format("{}, by {}", dispatchesText(facts), plural(pipelines.size(), "pipeline"));
    if (facts.dispatches.size() > 1 && pipelines.size() > 1) return Look{true, counts};
    return Look{false,
                fmt::format("{}: {} tiles' sums are scanned by further dispatches, and the Offset kernel adds them",
                            counts, ceilDiv(facts.n, facts.shape.tile()))};
}

// ---- The table

// A criterion's name and how it is decided.
struct Told {
    const char* name;
    Looks look;
};

Told told(Criterion criterion)
{
    switch (criterion) {
        case Criterion::none:
            break;
        case Criterion::stepPerDispatch:
            return {"one dispatch per step", oneDispatchPerTreeStep};
        case Criterion::doublingPerDispatch:
            return {"one dispatch per step", oneDispatchPerDoubling};
        case Criterion::interleavedAddressing:
            return {"interleaved addressing", interleavedAddressing};
        case Criterion::sequentialAddressing:
            return {"sequential addressing", sequentialAddressing};
        case Criterion::sharedTree:
            return {"tree in shared memory", treeInSharedMemory};
        case Criterion::oneResultPerGroup:
            return {"one result per work-group", oneResultPerGroup};
        case Criterion::fewDispatches:
            return {"few dispatches", fewDispatches};
        case Criterion::unrolledSteps:
            return {"unrolled steps", unrolledSteps};
        case Criterion::sharedAtomic:
            return {"shared atomic", sharedAtomic};
        case Criterion::subgroupArithmetic:
            return {"subgroup arithmetic", subgroupArithmetic};
        case Criterion::pingPong:
            return {"ping-pong", pingPong};
        case Criterion::workEfficient:
            return {"work-efficient", workEfficient};
        case Criterion::noBankConflicts:
            return {"no bank conflicts", noBankConflicts};
        case Criterion::blockSums:
            return {"block sums", blockSums};
    }
    throw std::logic_error("a criterion without a name");
}

// The course's other row with the same kernel; empty if there is none.
std::string rowWithSameKernel(Device& gpu, const MethodFacts& facts)
{
    const auto kernel = facts.kernel(gpu, facts.main());
    const Task& mine = facts.task;
    for (const Task& row : allTasks()) {
        const bool another = row.id != mine.id && !row.lab && row.taskClass == mine.taskClass;
        if (!another) continue;
        for (const std::string& shader : row.shaders) {
            if (std::find(mine.shaders.begin(), mine.shaders.end(), shader) != mine.shaders.end()) continue;
            try {
                if (sameCode(kernel, loadShader(gpu, shader))) return fmt::format("{}.comp of {}", shader, row.id);
            } catch (const KernelError&) {  // it does not compile: its own row reports that
            }
        }
    }
    return "";
}

}  // namespace

std::vector<MethodCriterion> methodOf(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                      std::uint64_t seed, const Recording& recording)
{
    std::vector<MethodCriterion> found;
    if (task.scheme.method.front() == Criterion::none || n < shortestForMethod) return found;
    const auto facts = methodFacts(gpu, task, shape, n, seed, recording);
    if (!facts) return found;
    const SharedSums sums = sharedSums(facts->kernel(gpu, facts->main()));
    for (const Criterion one : task.scheme.method) {
        if (one == Criterion::none) break;
        const Told criterion = told(one);
        if (!facts->right) {  // so nothing that it does here counts
            found.push_back(
                {criterion.name, false, "walked on the host the result is wrong", facts->fileOf(facts->main()), 0});
            continue;
        }
        if (const auto look = criterion.look(*facts, sums))
            found.push_back({criterion.name, look->met, look->evidence, look->met ? "" : look->file, look->line});
    }
    // One kernel may be right for two rows. If it is not right for this one, it was copied.
    const bool unmet = std::any_of(found.begin(), found.end(), [](const MethodCriterion& one) { return !one.met; });
    const std::string other = unmet ? rowWithSameKernel(gpu, *facts) : "";
    if (!other.empty())
        found.push_back({"own kernel", false, "the same kernel as " + other, facts->fileOf(facts->main())});
    return found;
}

}  // namespace a2
