#include "judge/PartialSums.h"

#include <algorithm>

namespace a2 {

std::vector<std::uint32_t> stridedSums(const std::vector<std::uint32_t>& data, std::uint64_t count,
                                       std::uint64_t stride, std::uint64_t next)
{
    std::vector<std::uint32_t> sums;
    for (std::uint64_t first = 0; first < count; first += next) {
        std::uint32_t sum = 0;
        for (std::uint64_t i = first; i < std::min(count, first + next); i += stride) sum += data[i];
        sums.push_back(sum);
    }
    return sums;
}

std::vector<std::uint32_t> frontSums(const std::vector<std::uint32_t>& data, std::uint64_t live, std::uint64_t width)
{
    std::vector<std::uint32_t> sums(width);
    for (std::uint64_t i = 0; i < live; ++i) sums[i % width] += data[i];
    return sums;
}

std::vector<std::uint32_t> windowSums(const std::vector<std::uint32_t>& data, std::uint64_t count, std::uint64_t stride,
                                      std::uint64_t shift)
{
    std::vector<std::uint32_t> sums(count);
    for (std::uint64_t i = 0; i < count; ++i) {
        if (i >= shift) sums[i] = data[i - shift];
        if (i >= shift + stride) sums[i] += data[i - shift - stride];
    }
    return sums;
}

}  // namespace a2
