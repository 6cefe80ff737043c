// One recording while it is made: the objects, the recorded commands, and the faults.
#pragma once

#include "recorder/Objects.h"
#include "recording/Request.h"

#include <deque>
#include <functional>
#include <mutex>

namespace a2 {

class Recorder {
public:
    // Throws Error if the request's device is not valid. Only one may exist at a time.
    Recorder(const RecordRequest& request, const RecordingLimits& limits);
    ~Recorder();
    Recorder(const Recorder&) = delete;
    Recorder& operator=(const Recorder&) = delete;
    static Recorder* current();  // null: none

    // Protects the recorder: a solution may have several threads.
    std::recursive_mutex mutex;

    Recording recording;  // commands and faults of a run are added when the run ends
    DeviceFacts device;
    vk::PhysicalDeviceProperties properties;

    Objects<BufferObject> buffers;
    Objects<MemoryObject> memories;
    Objects<SetLayoutObject> setLayouts;
    Objects<LayoutObject> layouts;
    Objects<ModuleObject> modules;
    Objects<PipelineObject> pipelines;
    Objects<PoolObject> pools;
    Objects<SetObject> sets;
    Objects<TemplateObject> templates;
    Objects<EventObject> events;
    Objects<CommandPoolObject> commandPools;
    Objects<CommandBufferObject> commandBuffers;
    Objects<OtherObject> others;

    VkInstance instance() const { return handleOf<VkInstance>(instance_); }
    VkPhysicalDevice physicalDevice() const { return handleOf<VkPhysicalDevice>(physical_); }
    VkDevice vulkanDevice() const { return handleOf<VkDevice>(device_); }
    VkQueue queue() const { return handleOf<VkQueue>(queue_); }

    // A handle that Vulkan dereferences as a pointer.
    Handle newPointer();

    // Notes a fault. Reported once for each `key` (without one, for each message), with its number of times at the end.
    void fault(const char* rule, const std::string& message, std::optional<std::uint64_t> dispatch = {},
               const std::string& key = {});
    std::vector<RecordedFault> takeFaults();

    // An object that a call needs. Null, with a fault, if it was never made or is destroyed.
    template <class T>
    T* need(Objects<T>& all, Handle handle)
    {
        T* found = all.find(handle);
        if (!found) {
            noSuchObject(T::kind);
        } else if (found->destroyed) {
            destroyedObject(describe(*found));
            return nullptr;
        }
        return found;
    }
    template <class T>
    void destroy(Objects<T>& all, Handle handle)
    {
        if (handle == 0) return;
        if (T* found = need(all, handle)) found->destroyed = true;
    }
    void noSuchObject(const char* kind);

    // False once the recording holds more than allowed: then nothing more is recorded.
    bool mayMake(std::uint64_t bytes = 0);                              // another object
    bool mayNote(std::uint64_t bytes = 0, std::uint64_t commands = 0);  // commands, and bytes of anything
    bool tooMuch() const { return tooMuch_; }
    void stop() { tooMuch_ = true; }
    void endIfTooMuch() const;  // throws; for places where a solution's code can be left

    // Buffers.
    Handle makeBuffer(const std::string& name, std::uint64_t bytes, RecordedBuffer::Lifetime lifetime);
    const RecordedBuffer& recorded(const BufferObject& buffer) const { return recording.buffers[buffer.index]; }
    BufferObject& madeAt(Index index) { return *buffers.find(bufferHandles_[index]); }
    // The bytes offset .. offset + bytes - 1 (or VK_WHOLE_SIZE) that lie in the buffer; 0 bytes if none do.
    struct Bytes {
        std::uint64_t offset = 0, bytes = 0;
        bool clamped = false;
    };
    Bytes within(const BufferObject& buffer, std::uint64_t offset, std::uint64_t bytes) const;
    // The same for a command, with a fault if some of them do not lie there.
    Bytes meant(const BufferObject& buffer, std::uint64_t offset, std::uint64_t bytes);

    // Equal values share one index.
    Index intern(RecordedSetLayout value);
    Index intern(RecordedLayout value);
    Index intern(RecordedSet value);

    // Command buffers. recording(): null, with a fault, if nothing can be recorded into it.
    Handle makeCommandBuffer(Handle pool, bool secondary);
    CommandBufferObject* recordingInto(VkCommandBuffer commandBuffer);
    BoundSet& bindAt(CommandBufferObject& into, const LayoutObject& layout, std::uint32_t number);
    void note(CommandBufferObject& into, NotedCommand command);
    // "; that of pipeline 'A2X' is: ...", if a layout of some pipeline fits; else nothing.
    std::string hintOfPipeline(const std::function<bool(const RecordedLayout&)>& fits) const;

    // Runs.
    VkCommandBuffer beginRun();
    void endRun();  // adds an entry to recording.runs, without its result
    bool inRun() const { return run_ > 0; }

private:
    template <class T>
    Index intern(std::vector<T>& all, std::map<std::string, Index>& places, T value, const std::string& key);
    void destroyedObject(const std::string& what);

    RecordingLimits limits_;
    std::uint64_t objects_ = 0, commands_ = 0, bytes_ = 0;
    bool tooMuch_ = false;

    std::deque<std::uintptr_t> pointers_;
    Handle instance_, physical_, device_, queue_;
    std::vector<Handle> bufferHandles_;  // by Index

    struct Fault {
        RecordedFault fault;
        std::uint64_t times = 1;
    };
    std::vector<Fault> faults_;
    std::map<std::string, std::size_t> faultPlaces_;
    std::map<std::string, Index> setLayoutPlaces_, layoutPlaces_, setPlaces_;

    std::uint32_t run_ = 0;  // from 1
    Handle given_ = 0;       // the command buffer that record() gets in this run
};

}  // namespace a2
