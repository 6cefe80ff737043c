// What a solution's way is told from: its recording, walked through on the host once, on numbers of its own.
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
    std::uint64_t results = 0;                // of the written words, those that do not hold 0 afterwards: padding is 0
    std::uint64_t readAndWritten = 0;         // the same words of the same buffer
    std::uint32_t firstWritten = 0;           // what the first of the written words holds afterwards
    std::uint64_t additions = 0;              // of data, those by atomics among them
    std::uint64_t sharedAtomics = 0;          // on shared memory
    bool usesShared = false;                  // memory, by the first work-group
    std::uint32_t worstConflict = 0;          // of the first work-group, in ways of 32 banks
    std::uint64_t alone = 0;                  // parallel steps in which no work-group has two active invocations
};

struct MethodFacts {
    const Task& task;
    KernelShape shape;
    std::uint64_t n = 0;
    std::vector<std::uint32_t> input;  // random
    Recording recording;
    std::vector<MethodDispatch> dispatches;

    const MethodDispatch& first() const { return dispatches.front(); }
    // The first one that uses shared memory: before it an array may be copied, or padded. The first of all where none
    // does.
    const MethodDispatch& main() const;
    // The SPIR-V that a dispatch runs. Throws as loadShader.
    std::span<const std::uint32_t> kernel(Device& gpu, const MethodDispatch& dispatch) const;
    // Its file ("A2Task2Naive.comp"); empty for a module that the solution made itself.
    std::string fileOf(const MethodDispatch& dispatch) const;
};

// recording: of this task, shape and length. Empty where the walk did not come to its end, or no dispatch wrote
// anything.
std::optional<MethodFacts> methodFacts(Device& gpu, const Task& task, const KernelShape& shape, std::uint64_t n,
                                       const Recording& recording);

}  // namespace a2
