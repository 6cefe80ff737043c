// The kernels of the labs, walked on the host (spirv/Emulator.h): finds faults that no result shows.
#pragma once

#include "gpu/SingleDispatch.h"
#include "judge/CountedWork.h"
#include "lint/Finding.h"

#include <vector>

namespace a2 {

struct Inside {
    std::vector<Finding> findings;  // of the emulator's rules
    bool endangers = false;         // it may crash a driver: do not run it on the device
};

// Walks at most the first 4096 of n elements. Throws what Workload::follow throws.
Inside lookInside(const Workload& work, std::uint64_t n, const KernelShape& shape);

// The same for a dispatch, on the present contents of its buffers; nothing for buffers of more than 2^16 words.
Inside lookInside(Device& gpu, const OwnDispatch& own);

}  // namespace a2
