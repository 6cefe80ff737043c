#include "annexes/prescan/PartOffset.h"

#include "a2/Folding.h"
#include "judge/Matrix.h"

#include <algorithm>
#include <utility>

namespace a2 {

namespace {

// Sixteen elements for each invocation: few offsets are read, and an array of 2^40 elements needs no more work-groups
// than a device has.
KernelShape shapeOn(const Device& gpu) { return {std::min(256U, matrixWorkGroups(gpu).back()), 16}; }

std::uint64_t mostTiles(const Device& gpu, std::uint64_t n, const KernelShape& shape)
{
    std::uint64_t most = 1;
    for (const Slice& slice : slices(n, shape.tile(), gpu.limits().maxStorageBufferRange))
        most = std::max(most, slice.tiles);
    return most;
}

}  // namespace

PartOffset::PartOffset(Device& gpu, std::uint64_t n, std::string kernel)
    : gpu_(gpu),
      n_(n),
      kernel_(std::move(kernel)),
      shape_(shapeOn(gpu)),
      offsets_(gpu, "sum of the parts before", mostTiles(gpu, n, shape_)),
      timed_(gpu)
{
}

void PartOffset::bind(const DeviceBuffer& array)
{
    if (bound_ == array.memory()) return;
    slices_.clear();
    for (const Slice& slice : slices(n_, shape_.tile(), gpu_.limits().maxStorageBufferRange))
        slices_.emplace_back(gpu_, kernel_, shape_,
                             std::vector<BoundElements>{{array, slice.first, slice.count}, {offsets_, 0, slice.tiles}},
                             Push{static_cast<std::uint32_t>(slice.count), 0}, gpu_.foldGroups(slice.tiles),
                             "add the sum of the parts before");
    bound_ = array.memory();
}

RunTime PartOffset::add(std::uint32_t before, const DeviceBuffer& array, Timer timer)
{
    bind(array);
    return timed_.run(
        timer, [&](Commands& cb) { cb.fill(offsets_.region(), before); },
        [&](Commands& cb) {
            for (const auto& slice : slices_) slice.record(cb);
        });
}

}  // namespace a2
