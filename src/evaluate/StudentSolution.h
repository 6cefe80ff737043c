// A row's solution as the harness uses it: the one place through which the code of a solution runs.
#pragma once

#include "Task.h"

#include <functional>
#include <memory>
#include <string>

namespace a2 {

// What that code throws fails the task: it becomes a KernelError that says what was thrown, while preparing or while
// recording which run, and at which length. Two things are left: DeviceError and vk::DeviceLostError go on as they are;
// and where memory was asked for in vain, a2 tries itself, once the solution is gone, and throws LimitError if it is
// refused as well.
class StudentSolution : public Solution {
public:
    // Checks the row's limits (RowLimits.h), makes the solution and prepares it. blockOffsets only for
    // TaskKind::offset. Throws LimitError for a limit, KernelError for what the solution throws.
    StudentSolution(Gpu& gpu, const Task& task, const KernelShape& shape, const Buffer& input,
                    const Buffer* blockOffsets, std::uint64_t count);

    // Throw as the constructor does. After a LimitError the solution is gone, and so must its work be.
    void record(vk::CommandBuffer cb) override;
    const Buffer& result() const override;

private:
    void run(const std::string& phase, const std::function<void()>& code) const;

    Gpu& gpu_;
    Task task_;
    KernelShape shape_;
    std::uint64_t count_;
    mutable std::unique_ptr<Solution> inner_;  // none any more where it asked for memory in vain
    unsigned runs_ = 0;
};

}  // namespace a2
