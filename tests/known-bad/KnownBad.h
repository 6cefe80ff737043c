// Deliberately wrong solutions; generate.py makes them from the real ones, as variants.py says.
#pragma once

#include "Task.h"
#include "a2/A2Task1.h"
#include "a2/A2Task2.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// As Task::prepare, with the kernels that the row names.
using Make = std::function<std::unique_ptr<Solution>(const Task& row, Gpu&, const KernelShape&, const Buffer& input,
                                                     const Buffer* blockOffsets, std::uint64_t count)>;

struct BadSolution {
    std::string name, task;
    std::string shaderDir;  // where a kernel is changed; otherwise empty
    Make make;              // where host code is changed; otherwise empty
};

struct Variant {
    BadSolution solution;
    std::uint64_t n;
    std::uint32_t workGroup, elements;
    std::string pattern;
    std::string rule;  // how it must be rejected, in the words of variants.py
    std::optional<std::uint64_t> dispatch;
    bool sliced = false;  // on a device that binds no more than 64 tiles
};

std::vector<Variant> variants();
// Each barrier of each row removed, one at a time.
std::vector<BadSolution> removedBarriers();

inline Make made(A2Task1Factory& make)
{
    return [&make](const Task& row, Gpu& gpu, const KernelShape& shape, const Buffer& input, const Buffer*,
                   std::uint64_t count) -> std::unique_ptr<Solution> {
        auto solution = make(gpu, shape, row.shaders.front());
        solution->prepare(input, count);
        return solution;
    };
}

inline Make made(A2Task2Factory& make)
{
    return [&make](const Task& row, Gpu& gpu, const KernelShape& shape, const Buffer& input, const Buffer*,
                   std::uint64_t count) -> std::unique_ptr<Solution> {
        auto solution = make(gpu, shape, row.shaders);
        solution->prepare(input, count);
        return solution;
    };
}

inline Make made(A2Task2OffsetFactory& make)
{
    return [&make](const Task& row, Gpu& gpu, const KernelShape& shape, const Buffer& input, const Buffer* blockOffsets,
                   std::uint64_t count) -> std::unique_ptr<Solution> {
        auto solution = make(gpu, shape, row.shaders.front());
        solution->prepare(input, *blockOffsets, count);
        return solution;
    };
}

}  // namespace a2
