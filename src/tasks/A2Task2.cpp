// Task 2, parallel prefix sum: the table of its rows. To add a row with a new shader only, write the .comp and add
// a line here; with new host code, add its file in src/A2Task2Solution/ and name its factory here.

#include "A2Kernels.h"
#include "tasks/Task.h"
#include "a2/Error.h"
#include "a2/Slices.h"
#include "gpu/Device.h"

#include <algorithm>

namespace a2 {

namespace {

constexpr const char* tileShader = "A2Task2KernelDecomposition";
constexpr const char* offsetShader = "A2Task2KernelDecompositionOffset";

Task row(std::string id, std::string label, TaskKind kind, int points, std::vector<std::string> shaders,
         std::string hostFile, KernelShape shape, StepModel steps, std::string factory)
{
    const bool keepsInput = steps == StepModel::tileScans || steps == StepModel::scan;
    Task task{"scan/" + id,
              std::move(label),
              kind,
              points,
              std::move(shaders),
              "A2Task2Solution/" + hostFile,
              std::move(factory),
              shape,
              keepsInput,
              steps};
    task.bindsWhole = !keepsInput;  // each step goes over the whole array
    return task;
}

Task offsetRow(KernelShape shape)
{
    return {"scan/offset",
            "KernelDecomposition Offset",
            TaskKind::offset,
            0,
            {offsetShader},
            "A2Task2Solution/Offset.cpp",
            "Offset",
            shape,
            false,
            StepModel::offsets};
}

// Of scan/lookback: the other bits of a ticket number the runs, and the states of all tiles must fit one binding.
void checkTiles(const Device& gpu, const KernelShape& shape, std::uint64_t count)
{
    const std::uint64_t words = gpu.limits().maxStorageBufferRange / sizeof(std::uint32_t) - TILE_STATE_COUNTERS;
    const std::uint64_t most = std::min<std::uint64_t>((1 << 24) - 1, words / WORDS_PER_TILE_STATE);
    std::uint64_t groups = 0;
    for (const Slice& slice : slices(count, shape.tile(), gpu.limits().maxStorageBufferRange)) {
        const WorkGroups folded = gpu.foldGroups(slice.tiles);
        groups += std::uint64_t{folded.x} * folded.y;
    }
    if (groups > most)
        throw LimitError("scan/lookback takes at most " + std::to_string(most) +
                         " tiles on this device: choose a larger --workgroup or --elements");
}

// Beyond the course. Short arrays take small tiles: they are done sooner where each group has little to do, as long as
// there are few groups that wait for one another.
Task lookbackRow()
{
    Task task = row("lookback", "DecoupledLookback", TaskKind::scan, 0, {"A2Task2DecoupledLookback"},
                    "DecoupledLookback.cpp", {384, 36}, StepModel::scan, "DecoupledLookback");
    task.elementsUnit = 4;  // one vector
    task.byDefault = false;
    task.needsSubgroupArithmetic = true;
    task.wordsPerTile = WORDS_PER_TILE_STATE;
    task.limits = checkTiles;
    task.shortShapes = {{1 << 10, {256, 4}},  {1 << 12, {1024, 4}}, {1 << 17, {512, 4}}, {1 << 19, {1024, 4}},
                        {1 << 21, {1024, 8}}, {1 << 23, {512, 16}}, {1 << 25, {256, 16}}};
    return task;
}

}  // namespace

std::vector<Task> task2Rows()
{
    // Default work-group size and elements per invocation: what was fastest on the devices of the README's record.
    return {
        row("naive", "Naive", TaskKind::scan, 2, {"A2Task2Naive"}, "Naive.cpp", {256, 4}, StepModel::windows, "Naive"),
        row("local", "KernelDecomposition Local", TaskKind::localScan, 5, {tileShader}, "KernelDecomposition.cpp",
            {128, 8}, StepModel::tileScans, "LocalScan"),
        row("work-efficient", "KernelDecomposition", TaskKind::scan, 2, {tileShader, offsetShader},
            "KernelDecomposition.cpp", {128, 8}, StepModel::tileScans, "WorkEfficient"),
        offsetRow({128, 8}),
        lookbackRow(),
    };
}

}  // namespace a2
