// The Vulkan objects that a solution has made, and what the recorder knows of each.
#pragma once

#include "a2/Vulkan.h"
#include "recording/Recording.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace a2 {

using Handle = std::uint64_t;

// Handles are numbers that are never used again, so that a use after destruction is found; a handle from a solution is
// never used as a pointer. (Vulkan's handles are pointers or 64-bit numbers; a2 is only built for 64 bits.)
template <class VkHandle>
Handle numberOf(VkHandle handle)
{
    return reinterpret_cast<Handle>(handle);
}
template <class VkHandle>
VkHandle handleOf(Handle number)
{
    return reinterpret_cast<VkHandle>(number);
}

// Members of all kinds of objects. Destroyed objects stay known.
struct Object {
    std::string name;
    bool destroyed = false;
};

struct BufferObject : Object {
    static constexpr const char* kind = "buffer";
    Index index = 0;            // in Recording::buffers
    bool hasMemory = false;     // a Buffer of a2 always has
    std::uint32_t usage = ~0U;  // VkBufferUsageFlags; a Buffer of a2 has all
    Handle memory = 0;          // the memory that it is bound to
    std::uint64_t at = 0;       // first byte in `memory`
};

struct MemoryObject : Object {
    static constexpr const char* kind = "device memory";
    std::uint64_t bytes = 0;
};

struct SetLayoutObject : Object {
    static constexpr const char* kind = "descriptor set layout";
    Index index = 0;                          // in Recording::setLayouts
    std::set<std::uint32_t> updateAfterBind;  // the bindings that have it
};

struct LayoutObject : Object {
    static constexpr const char* kind = "pipeline layout";
    Index index = 0;                    // in Recording::layouts
    std::vector<SetLayoutObject> sets;  // as they were when the layout was made
    std::vector<VkPushConstantRange> ranges;
};

struct ModuleObject : Object {
    static constexpr const char* kind = "shader module";
    std::vector<std::uint32_t> code;
};

struct PipelineObject : Object {
    static constexpr const char* kind = "pipeline";
    Index index = 0;            // in Recording::pipelines
    bool dispatchBase = false;  // work-group numbers may begin at another number than 0
};

struct PoolObject : Object {
    static constexpr const char* kind = "descriptor pool";
    bool freesSets = false;
    std::uint32_t setsAtFirst = 0, setsLeft = 0;
    std::map<VkDescriptorType, std::uint32_t> descriptorsAtFirst, descriptorsLeft;
};

// The contents of a descriptor set, by binding and array element.
using SetContents = std::map<std::pair<std::uint32_t, std::uint32_t>, RecordedSet::Range>;

struct SetObject : Object {
    static constexpr const char* kind = "descriptor set";
    SetLayoutObject layout;
    Handle pool = 0;  // 0: ComputePipeline made it
    SetContents contents;
};

struct TemplateObject : Object {
    static constexpr const char* kind = "descriptor update template";
    std::vector<VkDescriptorUpdateTemplateEntry> entries;
};

// How an event was set.
struct EventSignal {
    bool second = false;       // by vkCmdSetEvent2, with these dependencies
    std::uint64_t stages = 0;  // VkPipelineStageFlags2; for the first version
    std::vector<RecordedBarrier::Dependency> dependencies;
};

// Objects of which hardly more than their existence matters.
struct EventObject : Object {
    static constexpr const char* kind = "event";
    // How it was set, if it is set at the end of the last run; until it is reset, setting it again has no effect.
    std::optional<EventSignal> signal;
};
struct OtherObject : Object {
    static constexpr const char* kind = "object";
};

struct CommandPoolObject : Object {
    static constexpr const char* kind = "command pool";
};

// A descriptor set as it was bound. Its contents at the end of the run count, unless it was pushed.
struct BoundSet {
    Handle set = 0;  // 0: pushed; then `pushed` has the contents
    SetContents pushed;
    Index setLayout = 0;  // in Recording::setLayouts
    Index layout = 0;     // in Recording::layouts: the layout it was bound with
    std::vector<std::uint32_t> dynamicOffsets;
};

// A dispatch before the final contents of its descriptor sets are known.
struct NotedDispatch {
    RecordedDispatch what;  // without sets
    Handle pipeline = 0;    // 0: none was bound
    std::map<std::uint32_t, BoundSet> sets;
};
struct NotedEvent {
    Handle event = 0;
    std::optional<EventSignal> set;  // empty: reset
};
struct NotedWait {
    std::vector<Handle> events;
    RecordedBarrier barrier;
    bool second = false;  // by vkCmdWaitEvents2
};
using NotedCommand = std::variant<NotedDispatch, RecordedBarrier, RecordedTransfer, NotedEvent, NotedWait>;

// One byte of push constants.
struct PushedByte {
    std::uint8_t value = 0;
    Index layout = 0;  // in Recording::layouts: the layout it was pushed through
};

// The state that the next dispatch will see.
struct CommandState {
    Handle pipeline = 0;
    std::map<std::uint32_t, BoundSet> sets;
    std::optional<Index> layout;               // the layout that sets were last bound with
    std::map<std::uint32_t, PushedByte> push;  // by offset
    std::string label;
    std::vector<std::string> regions;  // begun labels that have not ended, innermost last
};

struct CommandBufferObject : Object {
    static constexpr const char* kind = "command buffer";
    enum class Stage { initial, recording, ended, invalid };
    Handle pool = 0;  // 0: it is the one that record() gets
    bool secondary = false;
    bool simultaneous = false;  // begun with VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT
    Stage stage = Stage::initial;
    CommandState state;
    std::vector<NotedCommand> commands;
    std::uint64_t dispatches = 0;
    std::uint64_t strays = 0;              // commands of this run that will never be executed
    std::set<Handle> boundSets, executed;  // executed: secondary ones
};

inline Handle nextHandle()
{
    static Handle last = 0;
    return ++last;
}

// All objects of one kind.
template <class T>
class Objects {
public:
    Handle add(T object)
    {
        const Handle handle = nextHandle();
        all_.emplace(handle, std::move(object));
        return handle;
    }
    void add(Handle handle, T object) { all_.emplace(handle, std::move(object)); }

    // Null if it was never made.
    T* find(Handle handle)
    {
        const auto found = all_.find(handle);
        return found == all_.end() ? nullptr : &found->second;
    }

    auto begin() { return all_.begin(); }
    auto end() { return all_.end(); }

private:
    std::map<Handle, T> all_;  // oldest first
};

// "buffer 'x'", or "buffer without a name".
template <class T>
std::string describe(const T& object)
{
    return object.name.empty() ? std::string(T::kind) + " without a name"
                               : std::string(T::kind) + " '" + object.name + "'";
}

}  // namespace a2
