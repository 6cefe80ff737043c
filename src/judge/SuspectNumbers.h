// Numbers that a solution may take for "nothing is here yet".
#pragma once

#include <cstdint>
#include <vector>

namespace a2 {

class Device;
struct Recording;

// Of a recording of n elements, those under most suspicion first: what kernels compare numbers with
// (spirv/ComparedNumbers.h); and, if larger than lengths are, what fills and updates of buffers write, and what push
// constants and specialisation constants hand to a kernel. Not 0 and 1, which ordinary arrays have.
std::vector<std::uint32_t> suspectNumbers(Device& gpu, const Recording& recording, std::uint64_t n);

}  // namespace a2
