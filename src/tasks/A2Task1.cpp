// Task 1, parallel reduction: the table of its rows. To add a row with a new shader only, write the .comp and add
// a row here; with new host code, add its file in src/A2Task1Solution/ and name its factory here.

#include "tasks/Task.h"

#include <array>

namespace a2 {

namespace {

// A dispatch writes one sum for each work-group, and the next one adds these up.
Scheme sumPerGroup(const std::array<Criterion, 4>& method)
{
    return {.steps = StepModel::groupSums, .figure = 8, .method = method, .textbook = treeOfSums};
}

}  // namespace

// Default work-group size and elements per invocation: the fastest on the devices of docs/record.md. Some rows have
// another work-group size for the assignment's 2 elements: with fewer elements a work-group has less to do, and a
// smaller one finishes its tree sooner.
std::vector<Task> task1Rows()
{
    return {
        {.id = "reduce/interleaved",
         .label = "Interleaved",
         .taskClass = &TaskClass::reduction,
         .points = 2,
         .shaders = {"A2Task1Interleaved"},
         .hostFile = "A2Task1Solution/Interleaved.cpp",
         .factory = "Interleaved",
         .shape = {256, 16},
         .scheme = {.steps = StepModel::strided,
                    .figure = 5,
                    .method = {Criterion::stepPerDispatch, Criterion::interleavedAddressing},
                    .textbook = treeOfSums},
         .bindsWhole = true},
        {.id = "reduce/sequential",
         .label = "Sequential",
         .taskClass = &TaskClass::reduction,
         .points = 2,
         .shaders = {"A2Task1Sequential"},
         .hostFile = "A2Task1Solution/Sequential.cpp",
         .factory = "Sequential",
         .shape = {256, 16},
         .scheme = {.steps = StepModel::front,
                    .figure = 7,
                    .method = {Criterion::stepPerDispatch, Criterion::sequentialAddressing},
                    .textbook = treeOfSums},
         .bindsWhole = true},
        {.id = "reduce/decomposition",
         .label = "KernelDecomposition",
         .taskClass = &TaskClass::reduction,
         .points = 3,
         .shaders = {"A2Task1KernelDecomposition"},
         .hostFile = "A2Task1Solution/KernelDecomposition.cpp",
         .factory = "KernelDecomposition",
         .shape = {1024, 16},
         .scheme = sumPerGroup({Criterion::sharedTree, Criterion::oneResultPerGroup, Criterion::fewDispatches}),
         .keepsInput = true,
         .workGroupForTwo = 256},
        {.id = "reduce/unroll",
         .label = "KernelDecomposition Unroll",
         .taskClass = &TaskClass::reduction,
         .points = 2,
         .shaders = {"A2Task1KernelDecompositionUnroll"},
         .hostFile = "A2Task1Solution/KernelDecomposition.cpp",
         .factory = "KernelDecomposition",
         .shape = {1024, 16},
         .scheme = sumPerGroup(
             {Criterion::sharedTree, Criterion::oneResultPerGroup, Criterion::fewDispatches, Criterion::unrolledSteps}),
         .keepsInput = true,
         .workGroupForTwo = 256},
        {.id = "reduce/atomic",
         .label = "KernelDecomposition Atomic",
         .taskClass = &TaskClass::reduction,
         .points = 2,
         .shaders = {"A2Task1KernelDecompositionAtomic"},
         .hostFile = "A2Task1Solution/KernelDecomposition.cpp",
         .factory = "KernelDecomposition",
         .shape = {1024, 16},
         .scheme = sumPerGroup({Criterion::sharedAtomic, Criterion::oneResultPerGroup, Criterion::fewDispatches}),
         .keepsInput = true,
         .workGroupForTwo = 384},
        // Beyond the course. Short arrays use small tiles: more groups have less to do each.
        {.id = "reduce/subgroup",
         .label = "Subgroup",
         .taskClass = &TaskClass::reduction,
         .shaders = {"A2Task1Subgroup"},
         .hostFile = "A2Task1Solution/Subgroup.cpp",
         .factory = "Subgroup",
         .shape = {512, 32},
         .scheme = {.steps = StepModel::sum,
                    .method = {Criterion::subgroupArithmetic, Criterion::fewDispatches},
                    .textbook = treeOfSums},
         .keepsInput = true,
         .byDefault = false,
         .shortShapes = {{1 << 10, {256, 4}}, {1 << 12, {512, 8}}, {1 << 14, {1024, 16}}, {1 << 20, {512, 8}}},
         .needs = {"subgroup arithmetic"}},
    };
}

}  // namespace a2
