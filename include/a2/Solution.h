// What the harness asks of every solution once it is prepared. A2Task1.h and A2Task2.h say how each kind is prepared.
#pragma once

#include "a2/Buffer.h"
#include "a2/ComputePipeline.h"
#include "a2/Slices.h"

namespace a2 {

class Solution {
public:
    virtual ~Solution() = default;
    Solution(const Solution&) = delete;
    Solution& operator=(const Solution&) = delete;

    // Records dispatches, and pipeline barriers between them, into a command buffer that is being recorded.
    // Called once per run, any number of times; the harness has restored the input before each run. Work recorded
    // before and after is already fenced off by barriers.
    virtual void record(vk::CommandBuffer cb) = 0;

    // Where the result lies after a run.
    virtual const Buffer& result() const = 0;

protected:
    Solution() = default;
};

}  // namespace a2
