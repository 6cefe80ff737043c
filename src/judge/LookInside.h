// The kernels of the labs, walked on the host (spirv/Emulator.h): what is wrong inside them, and no result shows.
#pragma once

#include "gpu/SingleDispatch.h"
#include "judge/CountedWork.h"
#include "lint/Finding.h"

#include <vector>

namespace a2 {

struct Inside {
    std::vector<Finding> findings;  // of the emulator's rules
    bool endangers = false;         // a driver may not survive it: the device must not see it
};

// On no more than the first 4096 of n elements. Throws as Workload::follow.
Inside lookInside(const Workload& work, std::uint64_t n, const KernelShape& shape);

// The same of a dispatch, on what its buffers hold now; nothing for buffers of more than 2^16 words.
Inside lookInside(Device& gpu, const OwnDispatch& own);

}  // namespace a2
