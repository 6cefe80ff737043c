// Arrays longer than one binding, on a device with a lowered binding limit.

#include "a2/Slices.h"

#include "A2Kernels.h"
#include "GpuFixture.h"
#include "a2/Error.h"
#include "judge/Trial.h"
#include "support/ChangedShaders.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

constexpr std::uint64_t tilesPerUnit = DeviceBuffer::sliceAlignment;

// A device that binds at most `units` times 64 tiles.
OpenDevice openBinding(const KernelShape& shape, std::uint64_t units, const std::string& shaderDir = "",
                       Validation validation = Validation::off)
{
    GpuOptions options;
    options.record = recordedHere;
    options.device = "cpu";
    options.shaderDir = shaderDir;
    options.validation = validation;
    options.bindingLimit = static_cast<std::uint32_t>(units * tilesPerUnit * shape.tile() * sizeof(std::uint32_t));
    return openDevice(options);
}

struct Ran {
    Verdict verdict;
    std::uint64_t dispatches = 0;
};

Ran run(Device& gpu, const Task& task, std::uint64_t n, const KernelShape& shape)
{
    const Input input(Pattern::parse("random"), n, 1);
    const Expectation expectation(*task.taskClass, input, shape);
    const DeviceInput onDevice(gpu, expectation);
    Trial trial(gpu, task, expectation, onDevice);
    Ran ran;
    ran.verdict = trial.judgeThreeRuns();
    ran.dispatches = trial.log().dispatches().size();
    return ran;
}

std::string text(const Verdict& verdict)
{
    std::string all;
    if (verdict.mismatches)
        all = fmt::format("{} wrong, the first at {}\n", verdict.mismatches->count, verdict.mismatches->firstIndex);
    for (const Finding& finding : verdict.findings) all += finding.text() + "\n";
    return all;
}

// How many dispatches one of these rows needs on a device that binds `binding` bytes.
std::uint64_t dispatchesOf(const Task& task, std::uint64_t n, std::uint64_t tile, std::uint64_t binding)
{
    const auto pieces = [&](std::uint64_t count) { return std::uint64_t{slices(count, tile, binding).size()}; };
    for (const char* once : {"scan/local", "scan/offset", "reduce/subgroup", "scan/lookback", "scan/persistent"})
        if (task.id == once) return pieces(n);
    std::uint64_t dispatches = pieces(n);
    for (std::uint64_t live = n; live > tile; live = ceilDiv(live, tile)) {
        dispatches += pieces(ceilDiv(live, tile));
        if (task.taskClass == &TaskClass::scan) dispatches += pieces(live);  // and back down
    }
    return dispatches;
}

// The rows that work tile by tile.
std::vector<std::string> slicedRows()
{
    std::vector<std::string> ids;
    for (const Task& task : allTasks())
        if (task.scheme.steps == StepModel::groupSums || task.scheme.steps == StepModel::sum ||
            task.scheme.steps == StepModel::tileScans || task.scheme.steps == StepModel::offsets ||
            task.scheme.steps == StepModel::scan)
            ids.push_back(task.id);
    return ids;
}

// Few elements per invocation make slices short; but one binding must also hold the states of the tiles of 17 slices.
std::uint32_t fewElements(const Task& task) { return task.id == "scan/lookback" ? 8 : task.elementsUnit; }

class SlicedRow : public testing::TestWithParam<std::string> {};

}  // namespace

TEST(Slices, AreOneWhereOneBindingTakesAll)
{
    for (const std::uint64_t count : {1U, 255U, 256U, 257U, 8192U}) {
        const auto all = slices(count, 256, 8192 * 4);
        ASSERT_EQ(all.size(), 1U);
        EXPECT_EQ(all[0].first, 0U);
        EXPECT_EQ(all[0].count, count);
        EXPECT_EQ(all[0].tiles, ceilDiv(count, 256));
    }
}

TEST(Slices, CoverTheArrayInAlignedWholeTilesThatFit)
{
    constexpr std::uint64_t almost4GiB = (std::uint64_t{1} << 32) - 1;
    for (const std::uint64_t tile : {2U, 96U, 128U, 4096U, 65536U})
        for (const std::uint64_t binding : {std::uint64_t{128} << 20, almost4GiB})
            for (const std::uint64_t count : {binding / 4 + 1, std::uint64_t{1} << 32, (std::uint64_t{1} << 32) + 3,
                                              (std::uint64_t{1} << 33) - 1}) {
                std::uint64_t next = 0, nextTile = 0;
                for (const Slice& one : slices(count, tile, binding)) {
                    EXPECT_EQ(one.first, next);
                    EXPECT_EQ(one.firstTile, nextTile);
                    EXPECT_EQ(one.first, one.firstTile * tile);
                    EXPECT_EQ(one.firstTile % DeviceBuffer::sliceAlignment, 0U);
                    EXPECT_EQ(one.tiles, ceilDiv(one.count, tile));
                    EXPECT_LE(one.count * 4, binding);
                    next += one.count;
                    nextTile += one.tiles;
                }
                EXPECT_EQ(next, count);
                EXPECT_EQ(nextTile, ceilDiv(count, tile));
            }
}

TEST(Slices, AreRefusedWhereNotEven64TilesFit)
{
    EXPECT_THROW(slices(1 << 20, 4096, 4 * 4096 * 64 - 4), LimitError);
    EXPECT_EQ(slices(4096 * 64, 4096, 4 * 4096 * 64).size(), 1U);
}

TEST(BoundElements, BindsItsElementsAndAtTheBuffersEndTheGuard)
{
    const auto gpu = openTestGpu();
    const DeviceBuffer buffer(*gpu, "data", 1000);
    const auto all = BoundElements(buffer).descriptor(), first = buffer.range(0, 512),
               last = buffer.range(512, 872 * 4);
    EXPECT_EQ(all.offset, buffer.firstByte());
    EXPECT_EQ(all.bytes, 4000 + DeviceBuffer::guardBytes);
    EXPECT_EQ(first.offset, buffer.firstByte());
    EXPECT_EQ(first.bytes, 512U);
    EXPECT_EQ(last.offset, first.offset + first.bytes);
    EXPECT_EQ(last.bytes, 872 * 4 + DeviceBuffer::guardBytes);
}

TEST(WholeBuffer, IsRefusedWithTheFiguresWhereABindingTakesLess)
{
    const auto gpu = openBinding({64, 2, false}, 1);
    for (const char* id : {"reduce/interleaved", "reduce/sequential", "scan/naive"}) {
        EXPECT_EQ(evaluate(*gpu, taskNamed(id), 8192).status, Status::passed) << id;
        const TaskOutcome outcome = evaluate(*gpu, taskNamed(id), 8193);
        EXPECT_EQ(outcome.status, Status::skipped) << id;
        EXPECT_EQ(explanation(outcome).find("8193 elements of buffer 'input' need 32 KiB in one binding, and this "
                                            "device binds at most 8192 elements (maxStorageBufferRange of 32 KiB);"),
                  0U)
            << explanation(outcome);
    }
}

// One device for each limit: all lengths around a slice's end, and those of the last tile.
TEST_P(SlicedRow, IsRightAtEveryLength)
{
    const Task task = taskNamed(GetParam());
    const std::uint32_t unit = fewElements(task);
    // The last of them go through each slice in four places at once.
    std::vector<KernelShape> shapes = {
        {64, unit, false}, {96, unit, false}, {64, 2 * unit, false}, {64, unit, false, 4}};
    if (task.taskClass->hasExclusive)
        shapes.insert(shapes.end(), {{64, unit, true}, {96, unit, true}, {96, unit, true, 4}});
    for (const KernelShape& shape : shapes)
        for (const std::uint64_t units : {1U, 8U}) {
            const auto gpu = openBinding(shape, units);
            const std::uint64_t slice = units * tilesPerUnit * shape.tile();
            std::vector<std::uint64_t> lengths = {slice - 1, slice,     slice + 1,        slice + shape.tile() - 1,
                                                  2 * slice, 3 * slice, 3 * slice - 1000, 2 * slice + 1};
            if (units == 1) lengths.insert(lengths.end(), {16 * slice + 1, 17 * slice});
            for (const std::uint64_t n : lengths) {
                const Ran ran = run(*gpu, task, n, shape);
                EXPECT_TRUE(ran.verdict.passed())
                    << "n = " << n << ", work-group " << shape.workGroup << ", elements " << shape.elements
                    << (shape.exclusive ? ", exclusive: " : ": ") << text(ran.verdict);
                EXPECT_EQ(ran.dispatches, dispatchesOf(task, n, shape.tile(), gpu->limits().maxStorageBufferRange))
                    << n;
            }
        }
}

// Tiles of 4, so that upper levels are longer than a binding, too: 17 slices, then 5, then 2. This needs more than 64
// descriptor sets. (scan/lookback and scan/persistent have no upper levels, and longer tiles because of their states.)
TEST_P(SlicedRow, SlicesUpperLevelsToo)
{
    const Task task = taskNamed(GetParam());
    KernelShape shape{2, 2, false};
    if (task.id == "scan/lookback") shape = {64, 32, false};
    if (task.id == "scan/persistent") shape = {4, 4, false};
    const auto gpu = openBinding(shape, 1);
    const std::uint64_t slice = tilesPerUnit * shape.tile();
    for (const std::uint64_t n : {17 * slice, 17 * slice + 1, 78 * slice + 32}) {
        const Ran ran = run(*gpu, task, n, shape);
        EXPECT_TRUE(ran.verdict.passed()) << "n = " << n << ": " << text(ran.verdict);
        EXPECT_EQ(ran.dispatches, dispatchesOf(task, n, shape.tile(), gpu->limits().maxStorageBufferRange)) << n;
    }
    EXPECT_EQ(slices(17 * slice, shape.tile(), gpu->limits().maxStorageBufferRange).size(), 17U);
}

TEST_P(SlicedRow, TheValidationLayerHasNothingToSay)
{
    const Task task = taskNamed(GetParam());
    const KernelShape shape{64, fewElements(task), false};
    const auto gpu = openBinding(shape, 1, "", Validation::required);
    const Ran ran = run(*gpu, task, 3 * tilesPerUnit * shape.tile() + 1, shape);
    EXPECT_TRUE(ran.verdict.passed()) << text(ran.verdict);
}

// A walk through the steps does not know slices: it finds nothing wrong with them, and reports nothing.
TEST_P(SlicedRow, IsUncheckedStepByStep)
{
    const Task task = taskNamed(GetParam());
    const KernelShape shape{64, fewElements(task), false};
    const auto gpu = openBinding(shape, 1);
    EvaluationSettings settings;
    settings.size = 2 * tilesPerUnit * shape.tile() + 1;
    settings.pattern = Pattern::parse("random");
    settings.workGroup = shape.workGroup;
    settings.elements = shape.elements;
    Evaluator evaluator(*gpu, settings, [](const std::string&) {});
    StepsOutcome steps;
    const TaskOutcome outcome = evaluator.steps(task, {}, steps);
    EXPECT_EQ(outcome.status, Status::passed) << explanation(outcome);
    ASSERT_GT(steps.steps.size(), 1U);
    for (const Step& step : steps.steps) EXPECT_EQ(step.judgement.verdict, StepVerdict::unchecked);
}

INSTANTIATE_TEST_SUITE_P(, SlicedRow, testing::ValuesIn(slicedRows()),
                         [](const testing::TestParamInfo<std::string>& row) {
                             std::string name = row.param;
                             std::erase_if(name, [](char c) { return c == '/' || c == '-'; });
                             return name;
                         });

// The tests above can fail: an Offset kernel that treats every slice as the first is only right with one slice.
TEST(SlicedOffset, MistakingEverySliceForTheFirstIsFound)
{
    const ChangedShaders folder("A2Task2KernelDecompositionOffset.comp", "workGroupNumber() + push.firstTile",
                                "workGroupNumber() + 1");
    const KernelShape shape{64, 2, false};
    const auto gpu = openBinding(shape, 1, folder.path());
    const std::uint64_t slice = tilesPerUnit * shape.tile();
    for (const char* id : {"scan/work-efficient", "scan/offset"}) {
        EXPECT_TRUE(run(*gpu, taskNamed(id), slice, shape).verdict.passed()) << id;
        const Verdict wrong = run(*gpu, taskNamed(id), slice + 1, shape).verdict;
        ASSERT_TRUE(wrong.mismatches) << id;
        EXPECT_EQ(wrong.mismatches->firstIndex, slice) << id;
    }
}

}  // namespace a2
