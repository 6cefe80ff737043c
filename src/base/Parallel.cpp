#include "base/Parallel.h"

#include "a2/KernelShape.h"

#include <algorithm>
#include <numeric>
#include <vector>
#ifdef A2_PARALLEL_ALGORITHMS
#include <execution>
#endif

namespace a2 {

// Short work is done before other threads have woken up.
void inParallel(std::uint64_t n, const std::function<void(std::uint64_t first, std::uint64_t end)>& body)
{
    if (n <= parallelBlock) {
        if (n > 0) body(0, n);
        return;
    }
    std::vector<std::uint64_t> blocks(ceilDiv(n, parallelBlock));
    std::iota(blocks.begin(), blocks.end(), std::uint64_t{0});
    const auto one = [&](std::uint64_t block) {
        body(block * parallelBlock, std::min(n, (block + 1) * parallelBlock));
    };
#ifdef A2_PARALLEL_ALGORITHMS
    std::for_each(std::execution::par, blocks.begin(), blocks.end(), one);
#else
    std::for_each(blocks.begin(), blocks.end(), one);
#endif
}

std::uint32_t parallelSum(std::span<const std::uint32_t> values)
{
#ifdef A2_PARALLEL_ALGORITHMS
    if (values.size() > parallelBlock)
        return std::reduce(std::execution::par_unseq, values.begin(), values.end(), std::uint32_t{0});
#endif
    return std::accumulate(values.begin(), values.end(), std::uint32_t{0});
}

void parallelInclusiveScan(std::span<const std::uint32_t> values, std::span<std::uint32_t> sums)
{
#ifdef A2_PARALLEL_ALGORITHMS
    if (values.size() > parallelBlock) {
        std::inclusive_scan(std::execution::par, values.begin(), values.end(), sums.begin());
        return;
    }
#endif
    std::partial_sum(values.begin(), values.end(), sums.begin());
}

}  // namespace a2
