// What the tables of tasks (A2Task1.cpp, A2Task2.cpp, A2Labs.cpp) have in common.
#pragma once

#include "Task.h"
#include "a2/A2Task1.h"
#include "a2/A2Task2.h"

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace a2 {

// Task::prepare by an A2Task1Factory, A2Task2Factory or A2Task2OffsetFactory and the shaders that it takes. A type with
// a name, so that tests can put another factory into a row.
template <class Factory>
struct PreparedBy {
    using Shaders = std::conditional_t<std::is_same_v<Factory, A2Task2Factory>, std::vector<std::string>, std::string>;

    Factory* make;
    Shaders shaders;

    std::unique_ptr<Solution> operator()(Gpu& gpu, const KernelShape& shape, const Buffer& input,
                                         const Buffer* blockOffsets, std::uint64_t count) const
    {
        auto solution = make(gpu, shape, shaders);
        if constexpr (std::is_same_v<Factory, A2Task2OffsetFactory>)
            solution->prepare(input, *blockOffsets, count);
        else
            solution->prepare(input, count);
        return solution;
    }
};

}  // namespace a2
