// The values that specialisation constants are given.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <map>
#include <span>

namespace a2 {

struct Specialisation {
    std::map<std::uint32_t, std::uint32_t> values;  // constant -> value; the others stay as the kernel has them
    std::map<std::uint32_t, std::uint32_t> upper;   // of those of 64 bits: the upper 32

    Specialisation() = default;
    // As Vulkan is given it: 1 to 8 bytes.
    void add(std::uint32_t constant, std::span<const std::uint8_t> bytes)
    {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size() && i < sizeof value; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
        values[constant] = static_cast<std::uint32_t>(value);
        if (bytes.size() > sizeof(std::uint32_t)) upper[constant] = static_cast<std::uint32_t>(value >> 32);
    }
    // The course's own constants (shaders/include/A2Kernels.h). Without a wish for other banks the last one is left
    // out: the kernel then has the header's.
    Specialisation(const KernelShape& shape)
        : values{{0, shape.workGroup}, {1, shape.elements}, {2, shape.exclusive ? 1 : 0}, {3, shape.places}}
    {
        if (shape.banks > 0) values[4] = shape.banks;
    }
};

}  // namespace a2
