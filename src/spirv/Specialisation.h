// Values for specialisation constants.
#pragma once

#include "a2/KernelShape.h"

#include <cstdint>
#include <map>
#include <span>

namespace a2 {

struct Specialisation {
    std::map<std::uint32_t, std::uint32_t> values;  // constant -> value; other constants keep the kernel's values
    std::map<std::uint32_t, std::uint32_t> upper;   // for constants of 64 bits: the upper 32

    Specialisation() = default;
    // In Vulkan's form: 1 to 8 bytes.
    void add(std::uint32_t constant, std::span<const std::uint8_t> bytes)
    {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < bytes.size() && i < sizeof value; ++i) value |= std::uint64_t{bytes[i]} << (8 * i);
        values[constant] = static_cast<std::uint32_t>(value);
        if (bytes.size() > sizeof(std::uint32_t)) upper[constant] = static_cast<std::uint32_t>(value >> 32);
    }
    // The course's own constants (shaders/include/A2Kernels.h). If the shape sets no banks, the last one is left out:
    // the kernel then uses the header's.
    Specialisation(const KernelShape& shape)
        : values{{0, shape.workGroup}, {1, shape.elements}, {2, shape.exclusive ? 1 : 0}, {3, shape.places}}
    {
        if (shape.banks > 0) values[4] = shape.banks;
    }
};

}  // namespace a2
