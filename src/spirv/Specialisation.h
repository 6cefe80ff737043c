// The values that specialisation constants are given.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <map>

namespace a2 {

struct Specialisation {
    std::map<std::uint32_t, std::uint32_t> values;  // constant -> value; the others stay as the kernel has them

    Specialisation() = default;
    // The course's own constants (shaders/include/A2Kernels.h). Without a wish for other banks the last one is left
    // out: the kernel then has the header's.
    Specialisation(const KernelShape& shape)
        : values{{0, shape.workGroup}, {1, shape.elements}, {2, shape.exclusive ? 1 : 0}, {3, shape.places}}
    {
        if (shape.banks > 0) values[4] = shape.banks;
    }
};

}  // namespace a2
