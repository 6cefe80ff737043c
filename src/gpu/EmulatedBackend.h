// The emulator as a backend (spirv/Emulator.h), for machines without a driver: `-d emulator`. Kernels run on the host,
// and their times mean nothing. Like a driver it trusts its caller, but not kernels: a kernel can only access what is
// bound, and ends at the time-out.
#pragma once

#include "gpu/Backend.h"
#include "gpu/DeviceChoice.h"

namespace a2 {

// Its limits are those of a usual device.
DeviceDescription describeEmulator();
// Its entry in the list of devices that can be chosen.
DeviceCandidate emulatorCandidate();

class EmulatedBackend : public Backend {
public:
    EmulatedBackend(const GpuOptions& options, DeviceDescription& described);

    std::unique_ptr<DeviceMemory> makeMemory(const std::string& name, std::uint64_t bytes) override;
    HostMemory makeHostMemory(const std::string& name, std::uint64_t words) override;
    std::unique_ptr<DevicePipeline> makePipeline(const std::string& name, const std::vector<RecordedSetLayout>& sets,
                                                 std::uint32_t pushBytes) override;
    // A kernel that cannot be decoded still gets a pipeline: the error is reported where the kernel would run.
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
