// The last step of a scan over several devices: the Offset kernel (KernelDecompositionOffset.comp) on the scan of a
// part, with the sum of the parts before it as the offset of every tile.
#pragma once

#include "gpu/SingleDispatch.h"
#include "gpu/TimedRun.h"

#include <cstdint>
#include <vector>

namespace a2 {

class PartOffset {
public:
    // For up to n >= 1 elements; made before the Trial whose result it finishes, which poisons what was made since.
    // Throws LimitError, KernelError.
    PartOffset(Device& gpu, std::uint64_t n);

    // Adds `before` to elements 0 .. n - 1 of the array, modulo 2^32, and waits for it. Throws DeviceError.
    RunTime add(std::uint32_t before, const DeviceBuffer& array, Timer timer);

private:
    struct Push {
        std::uint32_t count, firstTile;
    };
    void bind(const DeviceBuffer& array);

    Device& gpu_;
    std::uint64_t n_;
    KernelShape shape_;
    DeviceBuffer offsets_;  // the same word for each tile of a slice
    TimedRun timed_;
    vk::Buffer bound_;
    std::vector<SingleDispatch<Push>> slices_;
};

}  // namespace a2
