#include "gpu/Backend.h"

#include "gpu/Device.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::string sizeText(double bytes)
{
    static constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    std::size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
    return fmt::format("{:.4g} {}", bytes, units[unit]);
}

void DeviceDescription::narrow(const GpuOptions& options)
{
    if (options.bindingLimit > 0)
        properties.limits.maxStorageBufferRange =
            std::min(properties.limits.maxStorageBufferRange, options.bindingLimit);
    if (options.plainArithmetic || options.plainAtomics || !features.has("shaderInt64")) {
        features.remove("shaderBufferInt64Atomics");
        features.remove("shaderSharedInt64Atomics");
    }
    if (options.plainArithmetic) subgroupArithmetic = false;
    if (!subgroupArithmetic) features.remove("subgroup arithmetic");
    int64Atomics = features.has("shaderBufferInt64Atomics");
}

LimitError heapIsFull(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap)
{
    return LimitError(
        fmt::format("{} needs {} beside {} in use, more than this device's memory heap of {}; choose a "
                    "smaller --size",
                    what, sizeText(bytes), sizeText(used), sizeText(heap)));
}

LimitError memoryRefused(const std::string& what, std::uint64_t bytes, std::uint64_t used, std::uint64_t heap,
                         std::uint64_t maxAllocation)
{
    return LimitError(
        fmt::format("{} needs {}, which the device refused beside {} of {} in use (one allocation can be sure of "
                    "no more than maxMemoryAllocationSize, {}); choose a smaller --size",
                    what, sizeText(bytes), sizeText(used), sizeText(heap), sizeText(maxAllocation)));
}

}  // namespace a2
