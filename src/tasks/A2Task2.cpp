// Task 2, parallel prefix sum: the table of its rows. To add a row with a new shader only, write the .comp and add
// a line here; with new host code, add its file in src/A2Task2Solution/ and name its factory here.

#include "A2Task2.h"
#include "a2/Error.h"
#include "a2/Slices.h"
#include "gpu/Device.h"
#include "tasks/Task.h"

#include <algorithm>

namespace a2 {

// Default work-group size and elements per invocation: the fastest on the devices of docs/record.md.
std::vector<Task> task2Rows()
{
    return {
        {.id = "scan/naive",
         .label = "Naive",
         .taskClass = &TaskClass::scan,
         .points = 2,
         .shaders = {"A2Task2Naive"},
         .hostFile = "A2Task2Solution/Naive.cpp",
         .factory = "Naive",
         .shape = {256, 4},
         .scheme = {.steps = StepModel::windows,
                    .figure = 9,
                    .method = {Criterion::doublingPerDispatch, Criterion::pingPong},
                    .textbook = hillisSteele},
         .bindsWhole = true},
        {.id = "scan/local",
         .label = "KernelDecomposition Local",
         .taskClass = &TaskClass::localScan,
         .points = 5,
         .shaders = {"A2Task2KernelDecomposition"},
         .hostFile = "A2Task2Solution/KernelDecomposition.cpp",
         .factory = "LocalScan",
         .shape = {128, 8},
         .scheme = {.steps = StepModel::tileScans,
                    .figure = 12,
                    .method = {Criterion::workEfficient, Criterion::noBankConflicts},
                    .textbook = blelloch},
         .keepsInput = true},
        {.id = "scan/work-efficient",
         .label = "KernelDecomposition",
         .taskClass = &TaskClass::scan,
         .points = 2,
         .shaders = {"A2Task2KernelDecomposition", "A2Task2KernelDecompositionOffset"},
         .hostFile = "A2Task2Solution/KernelDecomposition.cpp",
         .factory = "WorkEfficient",
         .shape = {128, 8},
         .scheme = {.steps = StepModel::tileScans,
                    .figure = 12,
                    .method = {Criterion::workEfficient, Criterion::blockSums},
                    .textbook = blelloch},
         .keepsInput = true},
        {.id = "scan/offset",
         .label = "KernelDecomposition Offset",
         .taskClass = &TaskClass::offset,
         .shaders = {"A2Task2KernelDecompositionOffset"},
         .hostFile = "A2Task2Solution/Offset.cpp",
         .factory = "Offset",
         .shape = {128, 8},
         .scheme = {.steps = StepModel::offsets, .figure = 12}},
        // Beyond the course. Short arrays use small tiles: they finish sooner if each group has little to do, as long
        // as few groups wait for one another.
        {.id = "scan/lookback",
         .label = "DecoupledLookback",
         .taskClass = &TaskClass::scan,
         .shaders = {"A2Task2DecoupledLookback"},
         .hostFile = "A2Task2Solution/DecoupledLookback.cpp",
         .factory = "DecoupledLookback",
         .shape = {256, 44},
         .scheme = {.steps = StepModel::scan},
         .keepsInput = true,
         .elementsUnit = 4,  // one vector
         .byDefault = false,
         .shortShapes = {{1 << 10, {256, 4}},
                         {1 << 12, {1024, 4}},
                         {1 << 17, {512, 4}},
                         {1 << 19, {1024, 4}},
                         {1 << 21, {1024, 8}}},
         .needs = {"subgroup arithmetic", "subgroup shuffle"},
         .wordsPerTile = WORDS_PER_TILE_STATE,
         // The other bits of a ticket count the runs, and the states of all tiles must fit one binding.
         .limits =
             [](const Device& gpu, const KernelShape& shape, std::uint64_t count) {
                 const std::uint64_t words =
                     gpu.limits().maxStorageBufferRange / sizeof(std::uint32_t) - TILE_STATE_COUNTERS;
                 const std::uint64_t most = std::min<std::uint64_t>((1 << 24) - 1, words / WORDS_PER_TILE_STATE);
                 std::uint64_t groups = 0;
                 for (const Slice& slice : slices(count, shape.tile(), gpu.limits().maxStorageBufferRange)) {
                     const WorkGroups folded = gpu.foldGroups(slice.tiles);
                     groups += std::uint64_t{folded.x} * folded.y;
                 }
                 if (groups > most)
                     throw LimitError("scan/lookback takes at most " + std::to_string(most) +
                                      " tiles on this device: choose a larger --workgroup or --elements");
             }},
        {.id = "scan/persistent",
         .label = "Persistent",
         .taskClass = &TaskClass::scan,
         .shaders = {"A2Task2Persistent"},
         .hostFile = "A2Task2Solution/Persistent.cpp",
         .factory = "Persistent",
         .shape = {512, 24},
         .scheme = {.steps = StepModel::scan},
         .keepsInput = true,
         .elementsUnit = 4,  // one vector
         .byDefault = false,
         .shortShapes = {{1 << 18, {512, 4}}, {1 << 20, {512, 12}}},
         .needs = {"subgroup arithmetic", "subgroup shuffle"},
         .wordsPerTile = PERSISTENT_WORDS_PER_TILE,
         // Of each ticket, 24 bits count the tiles of a slice and the groups that find none left.
         .limits =
             [](const Device& gpu, const KernelShape& shape, std::uint64_t count) {
                 const auto parts = slices(count, shape.tile(), gpu.limits().maxStorageBufferRange);
                 const std::uint64_t words =
                     gpu.limits().maxStorageBufferRange / sizeof(std::uint32_t) - PERSISTENT_COUNTERS;
                 const std::uint64_t most =
                     std::min<std::uint64_t>((1 << 24) - 1024, words / PERSISTENT_WORDS_PER_TILE);
                 if (!parts.empty() && parts.front().tiles > most)
                     throw LimitError("scan/persistent takes at most " + std::to_string(most) +
                                      " tiles at a time on this device: choose a larger --workgroup or --elements");
             }},
    };
}

}  // namespace a2
