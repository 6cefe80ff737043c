// A task's host code: what it gets, and what the harness calls.
#pragma once

#include "a2/Buffer.h"
#include "a2/ComputePipeline.h"
#include "a2/Factory.h"
#include "a2/Slices.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

// What a solution gets when it is made.
struct Given {
    Gpu& gpu;                          // the device whose limits hold
    KernelShape shape;                 // work-group size, elements per invocation, inclusive or exclusive
    std::vector<std::string> shaders;  // of the task's row, at least one, so that rows can share host code
    const Buffer& input;               // `count` elements, restored before each run; may be overwritten as said below
    std::uint64_t count;               // 1 or more
    const Buffer* blockOffsets;  // only scan/offset: for each tile the sum of all elements before it; otherwise null
};

// A solution creates its pipelines, buffers and descriptor sets when it is constructed, and then records any number of
// runs:
//
//     struct Mine : Solution {
//         using Solution::Solution;
//         ComputePipeline kernel{gpu, shaders[0], 1, sizeof(MyPush), shape};
//         ...
//     };
//
// What a run leaves in result(), modulo 2^32:
//
//     Task 1, reduction     element 0: the sum of the input
//     Task 2, scan          elements 0 .. count - 1: the scan, inclusive, or exclusive where the shape says so
//     scan/local            the same, but each tile (shape.tile() elements) is scanned separately
//     scan/offset           the whole scan, made of the input's separately scanned tiles and of blockOffsets
//
// The runs of reduce/interleaved, reduce/sequential, scan/naive and scan/offset may overwrite the input; those of all
// other tasks leave it as it was (rule input-modified).
class Solution : protected Given {
public:
    explicit Solution(const Given& given) : Given(given) {}
    virtual ~Solution() = default;
    Solution(const Solution&) = delete;
    Solution& operator=(const Solution&) = delete;

    // Records dispatches, and pipeline barriers between them, into a command buffer that is being recorded. What it
    // records may be run many times, as it is: with the same push constants, and without another call. So what differs
    // from run to run must lie in buffers, and be made there by fills and kernels. It may be called several times for
    // one object, too. Barriers before and after it already separate it from other work.
    virtual void record(vk::CommandBuffer cb) = 0;

    // Where the result lies after a run.
    virtual const Buffer& result() const = 0;
};

}  // namespace a2
