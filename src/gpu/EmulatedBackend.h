// The emulator as a backend (spirv/Emulator.h), for machines without a driver: `-d emulator`. Kernels run on the host,
// and no time of theirs means anything. Like a driver it trusts its caller, but for what kernels do: a kernel reaches
// nothing but what is bound, and ends with the time-out.
#pragma once

#include "gpu/Backend.h"
#include "gpu/DeviceChoice.h"

namespace a2 {

// Its limits are those of a usual device.
DeviceDescription describeEmulator();
// As it stands among the devices that can be chosen.
DeviceCandidate emulatorCandidate();

class EmulatedBackend : public Backend {
public:
    EmulatedBackend(const GpuOptions& options, DeviceDescription& described);

    std::unique_ptr<DeviceMemory> makeMemory(const std::string& name, std::uint64_t bytes) override;
    HostMemory makeHostMemory(const std::string& name, std::uint64_t words) override;
    std::unique_ptr<DevicePipeline> makePipeline(const std::string& name, const std::vector<RecordedSetLayout>& sets,
                                                 std::uint32_t pushBytes) override;
    // A kernel that cannot be decoded makes a pipeline all the same: what is wrong with it is said where it would run.
    void compile(DevicePipeline& pipeline, const KernelCode& code) override;
    std::vector<std::unique_ptr<DeviceSet>> makeSets(std::span<const DeviceSet::Contents> contents) override;
    std::unique_ptr<Commands> makeCommands(const std::string& name, bool timed) override;
    bool run(std::span<Commands* const> commands, std::chrono::duration<double> timeout) override;
    std::uint64_t heapBytes() const override;
    std::uint64_t usedOfHeap() const override { return used_; }

private:
    std::uint64_t used_ = 0;  // bytes
};

}  // namespace a2
