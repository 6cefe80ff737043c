// The facts from which a solution's method is judged: its recording, walked on the host once, on an input made for
// this.
#pragma once

#include "gpu/Device.h"
#include "recording/Recording.h"
#include "tasks/Task.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace a2 {

// A dispatch that wrote something.
struct MethodDispatch {
    std::uint64_t number = 0;                 // of the run's dispatches
    Index pipeline = 0;                       // of the recording
    std::uint64_t groups = 0, workGroup = 0;  // work-groups; invocations of each
    std::uint64_t read = 0, written = 0;      // words of all buffers, each one once
    std::uint64_t results = 0;                // written words that do not hold 0 afterwards: padding is 0
    std::uint64_t readAndWritten = 0;         // words of the same buffer that are both read and written
    std::uint32_t firstWritten = 0;           // the value of the first written word after the dispatch
    std::uint64_t additions = 0;              // of data, including those by atomics
    std::uint64_t sharedAtomics = 0;          // on shared memory
    bool usesShared = false;                  // memory, by the first work-group
    std::uint32_t worstConflict = 0;          // of the first work-group, in ways of 32 banks
    std::uint64_t steps = 0;                  // one after another, each of all invocations
    std::uint64_t alone = 0;                  // of these, in which no work-group has two active invocations
};

struct MethodFacts {
    const Task& task;
    KernelShape shape;
    std::uint64_t n = 0;
    std::vector<std::uint32_t> input;  // random
    Recording recording;
    std::vector<MethodDispatch> dispatches;
    bool right = false;  // the result

    const MethodDispatch& first() const { return dispatches.front(); }
    // The first one that uses shared memory, since an array may be copied or padded before it. If none does, the first
    // of all.
    const MethodDispatch& main() const;
    // The SPIR-V that a dispatch runs. Throws as loadShader.
    std::span<const std::uint32_t> kernel(Device& gpu, const MethodDispatch& dispatch) const;
    // Its file ("A2Task2Naive.comp"); empty for a module that the solution made itself.
    std::string fileOf(const MethodDispatch& dispatch) const;
};

// On random input of this seed. recording: of this task, shape and length. Empty if the walk did not reach its end, or
// no dispatch wrote anything.
std::optional<MethodFacts> methodFacts(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                       std::uint64_t seed, const Recording& recording);

}  // namespace a2
