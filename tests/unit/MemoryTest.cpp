// Requests for more memory than there is: refused with figures, before or after the driver was asked.

#include "GpuFixture.h"
#include "a2/Error.h"
#include "gpu/DeviceBuffer.h"
#include "judge/Matrix.h"
#include "support/DriverCalls.h"

#include <fmt/format.h>

#include <functional>
#include <optional>

namespace a2 {

namespace {

std::string refusal(const std::function<void()>& body)
{
    try {
        body();
    } catch (const LimitError& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST(MemoryLimits, OfDeviceAndHostAreComparedWithWhatATaskNeeds)
{
    const auto gpu = openTestGpu();
    // Some CPU drivers have as much memory as is free now. Every machine, and its host, has at least this much.
    for (auto& one : vulkanOf(*gpu->backend).memory.memoryHeaps) one.size = vk::DeviceSize{256} << 20;
    const std::uint64_t usable = gpu->deviceHeap() / 16 * 15;
    const auto size = [&](const char* id, std::uint64_t n) {
        return refusal([&] { checkSize(*gpu, taskNamed(id), n); });
    };
    const std::string has = "this device has 256 MiB: choose a smaller --size, up to ";
    EXPECT_EQ(size("reduce/atomic", usable / 8), "");
    EXPECT_EQ(size("scan/offset", usable / 8), "");
    EXPECT_EQ(size("scan/naive", usable / 12), "");
    EXPECT_EQ(size("reduce/atomic", std::uint64_t{1} << 40),
              fmt::format("n = 1099511627776 needs 8 TiB of device memory, {}{}", has, usable / 8));
    EXPECT_EQ(size("scan/naive", std::uint64_t{1} << 33),
              fmt::format("n = 8589934592 needs 96 GiB of device memory, {}{}", has, usable / 12));
    EXPECT_EQ(size("scan/offset", UINT64_MAX),
              fmt::format("n = 18446744073709551615 needs 128 EiB of device memory, {}{}", has, usable / 8));

    // A device of 2^60 bytes, on a host with less memory.
    for (auto& one : vulkanOf(*gpu->backend).memory.memoryHeaps) one.size = vk::DeviceSize{1} << 60;
    const std::string host = size("reduce/atomic", std::uint64_t{1} << 50);
    EXPECT_EQ(host.find("n = 1125899906842624 needs 8 PiB of main memory, this machine has "), 0U) << host;
}

TEST(MemoryLimits, ABufferMayBeLongerThanTheDevicePromises)
{
    const auto gpu = openTestGpu();
    gpu->maxAllocation = 1000;
    EXPECT_NO_THROW(DeviceBuffer(*gpu, "data", 1000));
    gpu->maxBuffer = 4096;  // this is a hard limit, not a guarantee
    EXPECT_EQ(refusal([&] { DeviceBuffer(*gpu, "data", 1000); }),
              "data needs 4.406 KiB in one buffer, more than this device's maxBufferSize of 4 KiB; choose a smaller "
              "--size");
}

TEST(MemoryLimits, EachHeapIsCountedOnItsOwn)
{
    const auto gpu = openTestGpu();
    VulkanBackend& state = vulkanOf(*gpu->backend);
    // The same memory, as if it were two heaps of 6 MiB.
    state.memory.memoryHeapCount = 2;
    state.memory.memoryHeaps[1] = state.memory.memoryHeaps[0];
    for (auto& one : state.memory.memoryHeaps) one.size = 6 << 20;
    std::optional<DeviceBuffer> inOne, inOther;
    inOne.emplace(*gpu, "in one", 1 << 20);
    EXPECT_EQ(refusal([&] { DeviceBuffer(*gpu, "data", 1 << 20); }).find("data needs 4"), 0U) << "that heap is full";
    for (auto& one : state.memory.memoryTypes) one.heapIndex = 1;
    EXPECT_NO_THROW(inOther.emplace(*gpu, "in the other", 1 << 20));
    EXPECT_GT(state.usedOfHeaps[0], 4U << 20);
    EXPECT_EQ(state.usedOfHeaps[0], state.usedOfHeaps[1]);
    inOne.reset();
    EXPECT_EQ(state.usedOfHeaps[0], 0U);
    EXPECT_GT(state.usedOfHeaps[1], 4U << 20);
}

TEST(MemoryLimits, WhatIsNotBoundIsNotCounted)
{
    const auto gpu = openTestGpu();
    Device& state = *gpu;
    const auto bind = VULKAN_HPP_DEFAULT_DISPATCHER.vkBindBufferMemory;
    VULKAN_HPP_DEFAULT_DISPATCHER.vkBindBufferMemory = [](VkDevice, VkBuffer, VkDeviceMemory, VkDeviceSize) {
        return VK_ERROR_OUT_OF_HOST_MEMORY;
    };
    EXPECT_THROW(DeviceBuffer(*gpu, "data", 1000), vk::OutOfHostMemoryError);
    EXPECT_THROW(state.staging(), vk::OutOfHostMemoryError);
    VULKAN_HPP_DEFAULT_DISPATCHER.vkBindBufferMemory = bind;
    EXPECT_EQ(state.usedOfDeviceHeap(), 0U);
    EXPECT_TRUE(state.liveBuffers.empty());
    EXPECT_NO_THROW(state.staging());
}

TEST(MemoryLimits, WhatTheDriverRefusesIsTold)
{
    const auto gpu = openTestGpu();
    const DeviceBuffer before(*gpu, "before", 1 << 20);
    auto& table = tableOf(*gpu);
    table.vkAllocateMemory = [](VkDevice, const VkMemoryAllocateInfo*, const VkAllocationCallbacks*, VkDeviceMemory*) {
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    };
    const std::string text = refusal([&] { DeviceBuffer(*gpu, "data", 1 << 18); });
    EXPECT_EQ(text.find("data needs 1 MiB, which the device refused beside 4 MiB of "), 0U) << text;
    EXPECT_NE(text.find("maxMemoryAllocationSize"), std::string::npos) << text;
    EXPECT_EQ(gpu->liveBuffers.size(), 1U) << "nothing of it is left";
}

}  // namespace a2
