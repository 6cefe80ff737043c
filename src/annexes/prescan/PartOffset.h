// The last step of a prescan over several devices: the Offset kernel (A2Task2KernelDecompositionOffset.comp, or that of
// floats) on the scan of a part, with the sum of the parts before it as the offset of every tile.
#pragma once

#include "gpu/SingleDispatch.h"
#include "gpu/TimedRun.h"

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

class PartOffset {
public:
    // For up to n >= 1 elements, with this kernel, which must suit their type. Make it before the object that watches
    // the memory of the result: that one poisons what was made later. Throws LimitError, KernelError.
    PartOffset(Device& gpu, std::uint64_t n, std::string kernel);

    // Adds `before`, a word of the kernel's type, to elements 0 .. n - 1 of the array, and waits for it. Throws
    // DeviceError.
    RunTime add(std::uint32_t before, const DeviceBuffer& array, Timer timer);

private:
    struct Push {
        std::uint32_t count, firstTile;
    };
    void bind(const DeviceBuffer& array);

    Device& gpu_;
    std::uint64_t n_;
    std::string kernel_;
    KernelShape shape_;
    DeviceBuffer offsets_;  // the same word for each tile of a slice
    TimedRun timed_;
    const DeviceMemory* bound_ = nullptr;
    std::vector<SingleDispatch<Push>> slices_;
};

}  // namespace a2
