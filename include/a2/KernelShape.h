// How a kernel is laid out over invocations: the values of its specialisation constants.
#pragma once

#include <compare>
#include <cstdint>

namespace a2 {

struct KernelShape {
    std::uint32_t workGroup = 256;  // invocations per work-group (constant 0)
    std::uint32_t elements = 2;     // elements per invocation (constant 1); even; the assignment itself has 2
    bool exclusive = false;         // scans: exclusive instead of inclusive (constant 2)
    std::uint32_t places = 1;       // work-groups take turns in this many places of the array (constant 3)
    // The number of banks for which the index macro of shared memory pads (constant 4); 0: the one in the header. For
    // comparisons only.
    std::uint32_t banks = 0;
    static constexpr std::uint32_t noPadding = std::uint32_t{1} << 30;  // banks: more than any index

    auto operator<=>(const KernelShape&) const = default;

    // The number of elements that one work-group handles: its tile.
    std::uint64_t tile() const { return std::uint64_t{workGroup} * elements; }
};

// Rounds up. Both arguments have the same unit. 64 bits, because n + divisor - 1 overflows 32 for large n.
constexpr std::uint64_t ceilDiv(std::uint64_t value, std::uint64_t divisor)
{
    return value / divisor + (value % divisor != 0);
}

}  // namespace a2
