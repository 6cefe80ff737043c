// Task 2, parallel prefix sum (scan), modulo 2^32: inclusive, or exclusive where the kernel shape says so.
#pragma once

#include "a2/Solution.h"

#include <memory>
#include <string>
#include <vector>

namespace a2 {

class A2Task2Solution : public Solution {
public:
    // Makes pipelines, further buffers and descriptor sets. Called once, before the first record().
    // input: `count` elements, count >= 1; it outlives the solution and may be overwritten, the harness restores it.
    virtual void prepare(const Buffer& input, std::uint64_t count) = 0;

    // After a run, elements 0 .. count - 1 of result() hold the scan.
};

// The Offset kernel on its own.
class A2Task2OffsetSolution : public Solution {
public:
    // localScans: `count` elements, every tile (shape.tile() elements) scanned on its own.
    // blockOffsets: one element per tile, the sum of all tiles to its left.
    virtual void prepare(const Buffer& localScans, const Buffer& blockOffsets, std::uint64_t count) = 0;

    // After a run, elements 0 .. count - 1 of result() hold the finished scan.
};

// A factory makes the solution for one kernel shape; every file in src/A2Task2Solution/ defines one. The shaders' names
// come from the task's row, so that rows can share host code.
using A2Task2Factory = std::unique_ptr<A2Task2Solution>(Gpu& gpu, const KernelShape& shape,
                                                        const std::vector<std::string>& shaders);
using A2Task2OffsetFactory = std::unique_ptr<A2Task2OffsetSolution>(Gpu& gpu, const KernelShape& shape,
                                                                    const std::string& shader);

}  // namespace a2
