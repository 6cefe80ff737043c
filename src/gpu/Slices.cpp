#include "a2/Slices.h"

#include "a2/Buffer.h"
#include "a2/Error.h"
#include "a2/KernelShape.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::vector<Slice> slices(const Gpu& gpu, std::uint64_t count, std::uint64_t tile)
{
    return slices(count, tile, gpu.limits().maxStorageBufferRange);
}

std::vector<Slice> slices(std::uint64_t count, std::uint64_t tile, std::uint64_t bindingBytes)
{
    const std::uint64_t most = bindingBytes / sizeof(std::uint32_t);
    if (count <= most) return {{0, count, 0, ceilDiv(count, tile)}};

    const std::uint64_t unit = Buffer::sliceAlignment * tile, length = most / unit * unit;
    if (length == 0)
        throw LimitError(
            fmt::format("a slice of {} tiles of {} elements is more than the {} elements that this device binds; "
                        "choose a smaller --workgroup or --elements",
                        Buffer::sliceAlignment, tile, most));
    std::vector<Slice> all;
    for (std::uint64_t first = 0; first < count; first += length) {
        const std::uint64_t here = std::min(length, count - first);
        all.push_back({first, here, first / tile, ceilDiv(here, tile)});
    }
    return all;
}

}  // namespace a2
