// Task 1, parallel reduction: the sum of `count` elements, modulo 2^32.
#pragma once

#include "a2/Solution.h"

#include <memory>
#include <string>

namespace a2 {

class A2Task1Solution : public Solution {
public:
    // Makes pipelines, further buffers and descriptor sets. Called once, before the first record().
    // input: `count` elements, count >= 1; it outlives the solution and may be overwritten, the harness restores it.
    virtual void prepare(const Buffer& input, std::uint64_t count) = 0;

    // After a run, element 0 of result() holds the sum.
};

// A factory makes the solution for one kernel shape; every file in src/A2Task1Solution/ defines one. The shader's name
// comes from the task's row, so that rows can share host code.
using A2Task1Factory = std::unique_ptr<A2Task1Solution>(Gpu& gpu, const KernelShape& shape, const std::string& shader);

}  // namespace a2
