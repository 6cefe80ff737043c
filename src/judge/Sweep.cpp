#include "judge/Sweep.h"

#include <algorithm>
#include <bit>

namespace a2 {

namespace {

template <class Number>
void sortUnique(std::vector<Number>& numbers)
{
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

std::vector<std::uint64_t> sweepSizes(std::uint64_t largest, bool course)
{
    if (largest == 0) return {};
    constexpr std::uint64_t one = 1;
    // Two lengths that end inside a tile, one of them by a single element: they show the cost of a tail.
    std::vector<std::uint64_t> sizes = {(one << 16) + 1, (one << 20) - 3, std::bit_floor(largest)};
    for (unsigned exponent = 10; exponent < 64; exponent += 2) sizes.push_back(one << exponent);
    std::erase_if(sizes, [&](std::uint64_t n) { return n > largest || (course && !std::has_single_bit(n)); });
    sortUnique(sizes);
    return sizes;
}

std::vector<std::uint32_t> sweepWorkGroups(std::uint32_t largest, std::uint32_t own)
{
    std::vector<std::uint32_t> sizes = {32, 64, 128, 256, 512, 1024, own};
    std::erase_if(sizes, [&](std::uint32_t size) { return size > largest; });
    sortUnique(sizes);
    return sizes;
}

}  // namespace a2
