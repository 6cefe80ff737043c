// The objects of the emulated Vulkan. A handle is the address of its object.
#pragma once

#include "gpu/EmulatedVulkan.h"
#include "spirv/EmulatedBuffer.h"
#include "spirv/Emulator.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace a2::emulated {

// Bytes of push constants that a command buffer keeps, whatever a layout has of them.
constexpr std::uint32_t pushBytes = 256;

struct Memory {
    explicit Memory(std::uint64_t bytes) : contents(bytes) { contents.fill(0, bytes, 0); }
    EmulatedBuffer contents;
};

struct Buffer {
    std::uint64_t bytes = 0;
    Memory* memory = nullptr;  // that it is bound to
    std::uint64_t at = 0;      // first byte there
};

struct SetLayout {
    struct Binding {
        VkDescriptorType type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
        std::uint32_t count = 0;
    };
    std::map<std::uint32_t, Binding> bindings;  // by number, in whose order dynamic offsets come
};

struct PipelineLayout {};

struct Module {
    std::vector<std::uint32_t> code;
};

struct Pipeline {
    std::optional<EmulatedKernel> kernel;
    std::string problem;  // why there is none: told when it is used
    std::string name;     // of the kernel, as debuggers see it
};

struct DescriptorSet {
    struct Range {
        const Buffer* buffer = nullptr;
        std::uint64_t offset = 0, bytes = 0;  // of the buffer
        bool dynamic = false;
    };
    std::map<std::pair<std::uint32_t, std::uint32_t>, Range> ranges;  // every one of its layout, by binding and element
};

struct DescriptorPool {
    std::map<DescriptorSet*, std::unique_ptr<DescriptorSet>> sets;
};

// A command is what is done when its turn has come; false where it does not end.
class Queue;
using Command = std::function<bool(Queue&)>;

// The state that the next dispatch will see.
struct CommandState {
    const Pipeline* pipeline = nullptr;
    struct Set {
        const DescriptorSet* set = nullptr;
        std::vector<std::uint32_t> dynamicOffsets;
    };
    std::map<std::uint32_t, Set> sets;
    std::vector<std::uint8_t> push = std::vector<std::uint8_t>(pushBytes);
};

struct CommandBuffer {
    CommandState state;
    std::vector<Command> commands;
    bool outOfMemory = false;  // one of them is not there
};

struct CommandPool {
    std::map<CommandBuffer*, std::unique_ptr<CommandBuffer>> buffers;
};

struct Fence {
    bool signalled = false;
};

class Queue {
public:
    using Clock = std::chrono::steady_clock;

    // `fence` may be null.
    void submit(const std::vector<CommandBuffer*>& commandBuffers, Fence* fence);
    // Runs what was submitted, and signals its fences. False where it did not come to its end in time, or never will.
    bool run(Clock::time_point end);
    std::optional<EmulatedFault> takeFault() { return std::exchange(fault_, std::nullopt); }

    // What commands do.
    bool dispatch(const CommandState& state, const EmulatedDispatch& groups);

private:
    struct Submit {
        std::vector<CommandBuffer*> commandBuffers;
        Fence* fence = nullptr;
    };
    std::vector<Submit> submits_;
    Clock::time_point end_;
    std::optional<EmulatedFault> fault_;
};

struct Device {
    Queue queue;
};

template <class Object, class VkHandle>
Object& objectOf(VkHandle handle)
{
    return *reinterpret_cast<Object*>(handle);
}
template <class VkHandle, class Object>
VkHandle handleOf(Object* object)
{
    return reinterpret_cast<VkHandle>(object);
}

// Creates an object without more to it than what it is made of.
template <class Object, class VkHandle, class... Parts>
VkResult make(VkHandle* made, Parts&&... parts)
{
    *made = handleOf<VkHandle>(new Object{std::forward<Parts>(parts)...});
    return VK_SUCCESS;
}
template <class Object, class VkHandle>
void destroy(VkDevice, VkHandle handle, const VkAllocationCallbacks*)
{
    delete reinterpret_cast<Object*>(handle);
}

struct EntryPoint {
    const char* name;
    PFN_vkVoidFunction call;
};

// What every call does beside its own work: nothing may be thrown through Vulkan, and what may lack memory says so.
template <class Function>
struct Guarded;
template <class R, class... A>
struct Guarded<R(VKAPI_PTR*)(A...)> {
    template <R (*work)(A...)>
    static VKAPI_ATTR R VKAPI_CALL call(A... arguments) noexcept
    {
        if constexpr (std::is_same_v<R, VkResult>) {
            try {
                return work(arguments...);
            } catch (const std::bad_alloc&) {
                return VK_ERROR_OUT_OF_HOST_MEMORY;
            }
        } else {
            return work(arguments...);
        }
    }
};

template <class Function, auto work>
EntryPoint entry(const char* name)
{
    return {name, reinterpret_cast<PFN_vkVoidFunction>(&Guarded<Function>::template call<work>)};
}

std::vector<EntryPoint> deviceEntryPoints();      // EmulatedDevice.cpp: instance, physical device, device
std::vector<EntryPoint> memoryEntryPoints();      // EmulatedMemory.cpp: memory and buffers
std::vector<EntryPoint> descriptorEntryPoints();  // EmulatedDescriptors.cpp: layouts, pools, sets
std::vector<EntryPoint> pipelineEntryPoints();    // EmulatedPipelines.cpp: modules and pipelines
std::vector<EntryPoint> commandEntryPoints();     // EmulatedCommands.cpp: command buffers and what is recorded
std::vector<EntryPoint> queueEntryPoints();       // EmulatedQueue.cpp: submits and fences

}  // namespace a2::emulated
