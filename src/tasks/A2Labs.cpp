// The lab kernels: textbook scans and in-group reductions, beside the course's tasks. They share the host code of
// KernelDecomposition: a tile per work-group, partial sums for the next level. To add one, write its .comp and add a
// line here.

#include "a2/Error.h"
#include "tasks/Task.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr KernelShape labShape{256, 2};  // as in the labs, two elements per invocation

// The fields that they share: groupSums and tileScans are what the host code of KernelDecomposition does.
Task reduction(const char* id, const char* label, const char* shader)
{
    return {.id = id,
            .label = label,
            .taskClass = &TaskClass::reduction,
            .shaders = {shader},
            .hostFile = "A2Task1Solution/KernelDecomposition.cpp",
            .factory = "KernelDecomposition",
            .shape = labShape,
            .scheme = {.steps = StepModel::groupSums, .figure = 8, .textbook = treeOfSums},
            .keepsInput = true,
            .byDefault = false,
            .lab = true};
}

Task scan(const char* id, const char* label, const char* tileShader, TextbookOf formulas)
{
    return {.id = id,
            .label = label,
            .taskClass = &TaskClass::scan,
            .shaders = {tileShader, "A2Task2KernelDecompositionOffset"},
            .hostFile = "A2Task2Solution/KernelDecomposition.cpp",
            .factory = "WorkEfficient",
            .shape = labShape,
            .scheme = {.steps = StepModel::tileScans, .figure = 12, .textbook = formulas},
            .keepsInput = true,
            .byDefault = false,
            .lab = true};
}

// Brute force reads the tile once for each of its elements. Mesa's CPU driver ends an invocation after 65,535 loop
// iterations in all, without a message, and on other drivers a long loop can exceed the time limit.
void checkIterations(const KernelShape& chosen)
{
    constexpr std::uint64_t most = 60000;
    const std::uint64_t elements = chosen.elements;
    const std::uint64_t iterations = chosen.workGroup * elements * (elements + 1) / 2 + elements;  // the last one's
    if (iterations > most)
        throw LimitError(
            fmt::format("brute force in tiles of {} elements takes {} loop iterations in one invocation, and {} are "
                        "allowed here: choose a smaller --workgroup or --elements",
                        chosen.tile(), iterations, most));
}

// Each element costs half a tile of additions. The largest work that is allowed takes some seconds on a CPU device.
void checkWork(const KernelShape& chosen, std::uint64_t count)
{
    constexpr std::uint64_t most = std::uint64_t{1} << 33;
    if (count / 2 > most / chosen.tile())
        throw LimitError(
            fmt::format("brute force on {} elements in tiles of {} takes more than {} additions: choose a smaller "
                        "--size or --workgroup",
                        count, chosen.tile(), most));
}

Task bruteForce()
{
    Task task = scan("scan/brute-force", "BruteForce", "A2LabBruteForce", bruteForceScan);
    task.shape.workGroup = 64;  // the work grows with the tile: this keeps long arrays bearable on a CPU device
    task.limits = [](const Device&, const KernelShape& chosen, std::uint64_t count) {
        checkIterations(chosen);
        checkWork(chosen, count);
    };
    return task;
}

}  // namespace

std::vector<Task> labRows()
{
    return {
        reduction("reduce/local-modulo", "LocalModulo", "A2LabLocalModulo"),
        reduction("reduce/local-sequential", "LocalSequential", "A2LabLocalSequential"),
        bruteForce(),
        scan("scan/kogge-stone", "KoggeStone", "A2LabKoggeStone", hillisSteele),
        scan("scan/brent-kung", "BrentKung", "A2LabBrentKung", brentKung),
    };
}

}  // namespace a2
