#pragma once

#include "judge/Trial.h"

namespace a2 {

// A trial of a task with its own input: random numbers that are always the same.
struct Prepared {
    Prepared(Device& gpu, const Task& task, std::uint64_t n, const KernelShape& shape)
        : input(Pattern::parse("random"), n, 1),
          expectation(*task.taskClass, input, shape),
          onDevice(gpu, expectation),
          trial(gpu, task, expectation, onDevice)
    {
    }
    Input input;
    Expectation expectation;
    DeviceInput onDevice;
    Trial trial;
};

}  // namespace a2
