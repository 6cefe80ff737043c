// Task 1, parallel reduction: the table of its rows. To add a row with a new shader only, write the .comp and add
// a line here; with new host code, add its file in src/A2Task1Solution/ and name its factory here.

#include "tasks/Task.h"

namespace a2 {

namespace {

Task row(std::string id, std::string label, int points, std::string shader, std::string hostFile, KernelShape shape,
         StepModel steps, std::string factory)
{
    const bool keepsInput = steps == StepModel::groupSums || steps == StepModel::sum;
    Task task{"reduce/" + id,     std::move(label),
              TaskKind::reduce,   points,
              {shader},           "A2Task1Solution/" + hostFile,
              std::move(factory), shape,
              keepsInput,         steps};
    task.bindsWhole = !keepsInput;  // a step goes over the whole array in place
    return task;
}

// Fewer elements per invocation leave a work-group with less to do, and a smaller one is done with its tree sooner.
Task decompositionRow(std::string id, std::string label, int points, std::string shader, std::uint32_t workGroupForTwo)
{
    Task task = row(std::move(id), std::move(label), points, std::move(shader), "KernelDecomposition.cpp", {1024, 16},
                    StepModel::groupSums, "KernelDecomposition");
    task.workGroupForTwo = workGroupForTwo;
    return task;
}

// Beyond the course. Short arrays take small tiles: more groups have less to do each.
Task subgroupRow()
{
    Task task =
        row("subgroup", "Subgroup", 0, "A2Task1Subgroup", "Subgroup.cpp", {512, 32}, StepModel::sum, "Subgroup");
    task.byDefault = false;
    task.needsSubgroupArithmetic = true;
    task.shortShapes = {{1 << 10, {256, 4}}, {1 << 12, {512, 8}}, {1 << 14, {1024, 16}}, {1 << 20, {512, 8}}};
    return task;
}

}  // namespace

std::vector<Task> task1Rows()
{
    // Default work-group size and elements per invocation: what was fastest on the devices of the README's record.
    return {
        row("interleaved", "Interleaved", 2, "A2Task1Interleaved", "Interleaved.cpp", {256, 16}, StepModel::strided,
            "Interleaved"),
        row("sequential", "Sequential", 2, "A2Task1Sequential", "Sequential.cpp", {256, 16}, StepModel::front,
            "Sequential"),
        decompositionRow("decomposition", "KernelDecomposition", 3, "A2Task1KernelDecomposition", 256),
        decompositionRow("unroll", "KernelDecomposition Unroll", 2, "A2Task1KernelDecompositionUnroll", 256),
        decompositionRow("atomic", "KernelDecomposition Atomic", 2, "A2Task1KernelDecompositionAtomic", 384),
        subgroupRow(),
    };
}

}  // namespace a2
