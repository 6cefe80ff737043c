// Buffers, and the device memory that they are bound to. No memory exists: the recorder only notes which buffer would
// have which.
#include "recorder/EntryPoints.h"

#include <fmt/format.h>

namespace a2 {

namespace {

constexpr std::uint64_t memoryAlignment = 256;

VkMemoryRequirements requirementsOf(std::uint64_t bytes)
{
    const std::uint64_t rounded = (bytes / memoryAlignment + (bytes % memoryAlignment != 0)) * memoryAlignment;
    return {std::max(bytes, rounded), memoryAlignment, 1};
}

constexpr std::uint64_t mostBytes = std::uint64_t{1} << 50;

VkResult createBuffer(Recorder& recorder, VkDevice, const VkBufferCreateInfo* info, const VkAllocationCallbacks*,
                      VkBuffer* made)
{
    std::uint64_t bytes = info->size;
    if (bytes == 0) {
        recorder.fault("call", "vkCreateBuffer: a buffer must have at least one byte");
        bytes = 4;
    }
    if (bytes > mostBytes) {
        recorder.fault("call", fmt::format("vkCreateBuffer: {} bytes are more than any device has", bytes));
        return VK_ERROR_OUT_OF_DEVICE_MEMORY;
    }
    const Handle handle = recorder.makeBuffer("", bytes, RecordedBuffer::Lifetime::run);
    if (handle == 0) return VK_ERROR_OUT_OF_HOST_MEMORY;
    recorder.buffers.find(handle)->usage = info->usage;
    *made = handleOf<VkBuffer>(handle);
    return VK_SUCCESS;
}

void destroyBuffer(Recorder& recorder, VkDevice, VkBuffer buffer, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.buffers, numberOf(buffer));
}

void getRequirements(Recorder& recorder, VkDevice, VkBuffer buffer, VkMemoryRequirements* requirements)
{
    const BufferObject* found = recorder.need(recorder.buffers, numberOf(buffer));
    *requirements = requirementsOf(found ? recorder.recorded(*found).bytes : 4);
}

void getRequirements2(Recorder& recorder, VkDevice device, const VkBufferMemoryRequirementsInfo2* info,
                      VkMemoryRequirements2* requirements)
{
    getRequirements(recorder, device, info->buffer, &requirements->memoryRequirements);
}

void getDeviceRequirements(Recorder&, VkDevice, const VkDeviceBufferMemoryRequirements* info,
                           VkMemoryRequirements2* requirements)
{
    requirements->memoryRequirements = requirementsOf(info->pCreateInfo->size);
}

VkResult allocateMemory(Recorder& recorder, VkDevice, const VkMemoryAllocateInfo* info, const VkAllocationCallbacks*,
                        VkDeviceMemory* made)
{
    if (!recorder.mayMake()) return VK_ERROR_OUT_OF_HOST_MEMORY;
    if (info->memoryTypeIndex != 0)
        recorder.fault("call", fmt::format("vkAllocateMemory: there is no memory type {}", info->memoryTypeIndex));
    MemoryObject memory;
    memory.bytes = info->allocationSize;
    *made = handleOf<VkDeviceMemory>(recorder.memories.add(memory));
    return VK_SUCCESS;
}

void freeMemory(Recorder& recorder, VkDevice, VkDeviceMemory memory, const VkAllocationCallbacks*)
{
    recorder.destroy(recorder.memories, numberOf(memory));
}

// Where it is replayed each buffer has its own memory: buffers that share memory here would not share it there.
void checkMemory(Recorder& recorder, const BufferObject& bound)
{
    const MemoryObject& memory = *recorder.memories.find(bound.memory);
    const std::uint64_t bytes = recorder.recorded(bound).bytes;
    if (bound.at > memory.bytes || bytes > memory.bytes - bound.at)
        recorder.fault("call",
                       fmt::format("vkBindBufferMemory: {} needs {} bytes from byte {} on, and the memory has {}",
                                   describe(bound), bytes, bound.at, memory.bytes));
    if (bound.at % memoryAlignment != 0)
        recorder.fault("call", fmt::format("vkBindBufferMemory: {} is bound to byte {}, no multiple of {}",
                                           describe(bound), bound.at, memoryAlignment));
    for (const auto& [handle, other] : recorder.buffers) {
        if (&other == &bound || other.destroyed || other.memory != bound.memory) continue;
        if (other.at < bound.at + bytes && bound.at < other.at + recorder.recorded(other).bytes)
            recorder.fault("call", fmt::format("vkBindBufferMemory: {} would share its memory with {}: a recording has "
                                               "memory for each buffer",
                                               describe(bound), describe(other)));
    }
}

void bind(Recorder& recorder, VkBuffer buffer, VkDeviceMemory memory, std::uint64_t offset)
{
    BufferObject* bound = recorder.need(recorder.buffers, numberOf(buffer));
    if (!bound || !recorder.need(recorder.memories, numberOf(memory))) return;
    if (bound->hasMemory)
        return recorder.fault("call", fmt::format("vkBindBufferMemory: {} has memory already", describe(*bound)));
    bound->hasMemory = true;
    bound->memory = numberOf(memory);
    bound->at = offset;
    checkMemory(recorder, *bound);
}

VkResult bindBufferMemory(Recorder& recorder, VkDevice, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset)
{
    bind(recorder, buffer, memory, offset);
    return VK_SUCCESS;
}

VkResult bindBufferMemory2(Recorder& recorder, VkDevice, std::uint32_t count, const VkBindBufferMemoryInfo* infos)
{
    for (const VkBindBufferMemoryInfo& one : std::span(infos, count))
        bind(recorder, one.buffer, one.memory, one.memoryOffset);
    return VK_SUCCESS;
}

}  // namespace

std::vector<EntryPoint> memoryEntryPoints()
{
    return {
        entry<"vkCreateBuffer", PFN_vkCreateBuffer, createBuffer>(),
        entry<"vkDestroyBuffer", PFN_vkDestroyBuffer, destroyBuffer>(),
        entry<"vkGetBufferMemoryRequirements", PFN_vkGetBufferMemoryRequirements, getRequirements>(),
        entry<"vkGetBufferMemoryRequirements2", PFN_vkGetBufferMemoryRequirements2, getRequirements2>(),
        entry<"vkGetBufferMemoryRequirements2KHR", PFN_vkGetBufferMemoryRequirements2, getRequirements2>(),
        entry<"vkGetDeviceBufferMemoryRequirements", PFN_vkGetDeviceBufferMemoryRequirements, getDeviceRequirements>(),
        entry<"vkGetDeviceBufferMemoryRequirementsKHR", PFN_vkGetDeviceBufferMemoryRequirements,
              getDeviceRequirements>(),
        entry<"vkAllocateMemory", PFN_vkAllocateMemory, allocateMemory>(),
        entry<"vkFreeMemory", PFN_vkFreeMemory, freeMemory>(),
        entry<"vkBindBufferMemory", PFN_vkBindBufferMemory, bindBufferMemory>(),
        entry<"vkBindBufferMemory2", PFN_vkBindBufferMemory2, bindBufferMemory2>(),
        entry<"vkBindBufferMemory2KHR", PFN_vkBindBufferMemory2, bindBufferMemory2>(),
    };
}

}  // namespace a2
