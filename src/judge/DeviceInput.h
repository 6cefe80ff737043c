// A solution's input, in device memory.
#pragma once

#include "gpu/DeviceBuffer.h"
#include "tasks/Expectation.h"
#include "tasks/Task.h"

#include <memory>
#include <optional>

namespace a2 {

// The input in device memory: a pristine copy that no solution sees, and the buffers that solutions work on. Solutions
// of one task class share it; the block offsets of TaskClass::offset also depend on the kernel shape.
class DeviceInput {
public:
    DeviceInput(Device& gpu, const Expectation& expectation);

    const DeviceBuffer& input() const { return input_; }
    const DeviceBuffer* blockOffsets() const { return offsets_ ? &*offsets_ : nullptr; }
    bool holds(const DeviceMemory* memory) const;  // whether it is one of the buffers that are restored
    void recordRestore(Commands& cb) const;
    double allocateMs() const { return allocateMs_; }  // of input() alone
    double uploadMs() const { return uploadMs_; }

private:
    DeviceBuffer makeInput(Device& gpu, std::uint64_t elements);

    double allocateMs_ = 0, uploadMs_ = 0;  // declared before input_: making input_ sets allocateMs_
    DeviceBuffer pristine_, input_;
    std::optional<DeviceBuffer> pristineOffsets_, offsets_;
};

// The last input, in main memory and on the device, kept for the next case.
class KeptInput {
public:
    // The task's input; first: the index in the pattern of the first element, for a part of an array.
    const Input& of(const Task& task, const Pattern& pattern, std::uint64_t n, std::uint64_t seed,
                    std::uint64_t first = 0);
    // The same on the device, for an expectation of it.
    const DeviceInput& onDevice(Device& gpu, const Expectation& expectation);
    void free();

private:
    std::unique_ptr<Input> input_;
    std::unique_ptr<DeviceInput> onDevice_;
    std::optional<KernelShape> offsetShape_;  // set if onDevice_ is for a class with block offsets
};

}  // namespace a2
