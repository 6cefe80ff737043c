// What the tables of tasks (A2Task1.cpp, A2Task2.cpp, A2Labs.cpp) have in common.
#pragma once

#include "Task.h"

#include <utility>

namespace a2 {

// Task::prepare by an A2Task1Factory or A2Task2Factory and the shaders that it takes.
template <class Factory, class Shaders>
auto preparedBy(Factory* make, Shaders shaders)
{
    return [make, shaders = std::move(shaders)](Gpu& gpu, const KernelShape& chosen, const Buffer& input, const Buffer*,
                                                std::uint64_t count) {
        auto solution = make(gpu, chosen, shaders);
        solution->prepare(input, count);
        return std::unique_ptr<Solution>(std::move(solution));
    };
}

}  // namespace a2
