#include "a2/Folding.h"

#include "a2/Error.h"
#include "a2/KernelShape.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

WorkGroups foldGroups(std::uint64_t groups, std::uint32_t maxX, std::uint32_t maxY)
{
    // As few rows as possible, then as few groups per row: so fewer groups than there are rows are superfluous.
    const std::uint64_t rows = std::max<std::uint64_t>(1, ceilDiv(groups, maxX));
    if (rows > maxY)
        throw LimitError(
            fmt::format("{} work-groups are more than this device starts in one dispatch (maxComputeWorkGroupCount "
                        "{} x {}); a larger work-group needs fewer",
                        groups, maxX, maxY));
    return {static_cast<std::uint32_t>(ceilDiv(groups, rows)), static_cast<std::uint32_t>(rows)};
}

std::vector<Slice> slices(std::uint64_t count, std::uint64_t tile, std::uint64_t bindingBytes)
{
    if (tile == 0)  // dividing by 0 would end the program without a message
        throw KernelError(fmt::format("slices of {} elements were asked for in tiles of 0 elements", count));
    const std::uint64_t most = bindingBytes / sizeof(std::uint32_t);
    if (count <= most) return {{0, count, 0, ceilDiv(count, tile)}};

    // A tile longer than a binding fits no binding; cutting its length here avoids an overflow of the product.
    const std::uint64_t unit = elementsOfAlignment * std::min(tile, most + 1), length = most / unit * unit;
    if (length == 0)
        throw LimitError(
            fmt::format("a slice of {} tiles of {} elements is more than the {} elements that this device binds; "
                        "choose a smaller --workgroup or --elements",
                        elementsOfAlignment, tile, most));
    std::vector<Slice> all;
    for (std::uint64_t first = 0; first < count; first += length) {
        const std::uint64_t here = std::min(length, count - first);
        all.push_back({first, here, first / tile, ceilDiv(here, tile)});
    }
    return all;
}

}  // namespace a2
