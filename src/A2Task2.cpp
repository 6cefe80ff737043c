// Task 2, parallel prefix sum: the table of its rows. To add a row with a new shader only, write the .comp and add
// a line here; with new host code, add its file in src/A2Task2Solution/ and declare its factory here as well.

#include "TaskRows.h"

namespace a2 {

A2Task2Factory makeNaive, makeLocalScan, makeWorkEfficient, makeDecoupledLookback;
A2Task2OffsetFactory makeOffset;

namespace {

const std::string tileShader = "A2Task2KernelDecomposition";
const std::string offsetShader = "A2Task2KernelDecompositionOffset";

Task row(std::string id, std::string label, TaskKind kind, int points, std::vector<std::string> shaders,
         std::string hostFile, KernelShape shape, StepModel steps, A2Task2Factory* make)
{
    const bool keepsInput = steps == StepModel::tileScans || steps == StepModel::scan;
    return {"scan/" + id, std::move(label),
            kind,         points,
            shaders,      "A2Task2Solution/" + hostFile,
            shape,        keepsInput,
            steps,        PreparedBy<A2Task2Factory>{make, shaders}};
}

Task offsetRow(KernelShape shape)
{
    return {"scan/offset",
            "KernelDecomposition Offset",
            TaskKind::offset,
            0,
            {offsetShader},
            "A2Task2Solution/Offset.cpp",
            shape,
            false,
            StepModel::offsets,
            PreparedBy<A2Task2OffsetFactory>{makeOffset, offsetShader}};
}

// Beyond the course. Short arrays take small tiles: they are done sooner where each group has little to do, as long as
// there are few groups that wait for one another.
Task lookbackRow()
{
    Task task = row("lookback", "DecoupledLookback", TaskKind::scan, 0, {"A2Task2DecoupledLookback"},
                    "DecoupledLookback.cpp", {384, 36}, StepModel::scan, makeDecoupledLookback);
    task.elementsUnit = 4;  // one vector
    task.byDefault = false;
    task.shortShapes = {{1 << 10, {256, 4}},  {1 << 12, {1024, 4}}, {1 << 17, {512, 4}}, {1 << 19, {1024, 4}},
                        {1 << 21, {1024, 8}}, {1 << 23, {512, 16}}, {1 << 25, {256, 16}}};
    return task;
}

}  // namespace

std::vector<Task> task2Rows()
{
    // Default work-group size and elements per invocation: what was fastest on the devices of the README's record.
    return {
        row("naive", "Naive", TaskKind::scan, 2, {"A2Task2Naive"}, "Naive.cpp", {256, 4}, StepModel::windows,
            makeNaive),
        row("local", "KernelDecomposition Local", TaskKind::localScan, 5, {tileShader}, "KernelDecomposition.cpp",
            {128, 8}, StepModel::tileScans, makeLocalScan),
        row("work-efficient", "KernelDecomposition", TaskKind::scan, 2, {tileShader, offsetShader},
            "KernelDecomposition.cpp", {128, 8}, StepModel::tileScans, makeWorkEfficient),
        offsetRow({128, 8}),
        lookbackRow(),
    };
}

}  // namespace a2
