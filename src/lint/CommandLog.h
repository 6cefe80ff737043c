// One run of a recording as the lint and the steps see it: dispatches with everything that is bound to them, barriers,
// transfers. A buffer is named by its index in the recording.
#pragma once

#include "a2/Vulkan.h"
#include "lint/Finding.h"
#include "recording/Recording.h"
#include "spirv/IndirectGroups.h"
#include "spirv/KernelFacts.h"

#include <array>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace a2 {

// A storage or uniform buffer that a dispatch can reach.
struct BoundBuffer {
    std::uint32_t set = 0, binding = 0;
    std::string name;   // the buffer's
    std::string block;  // the shader's name for it
    bool reads = false, writes = false;
    Index buffer = 0;                     // of the recording
    std::uint64_t offset = 0, range = 0;  // bytes, in its array
    bool uniform = false;
    bool operator==(const BoundBuffer&) const = default;
};

struct DispatchCommand {
    std::uint64_t index = 0;  // from 0
    std::string label;        // given by labelDispatch; the kernel's name where there is none
    std::string kernel;
    std::string shader;  // file under shaders/ without .comp; empty: the solution made its kernel itself
    std::optional<Index> pipeline = {};  // in the recording; empty if none was bound
    const KernelFacts* facts = nullptr;  // null if no pipeline was bound
    std::uint32_t workGroup = 0;         // invocations that its work-groups should have; 0: any number
    std::array<std::uint32_t, 3> groups{};
    std::vector<BoundBuffer> buffers;  // those that the kernel declares
    struct Unseen {
        std::uint32_t binding = 0;
        Index buffer = 0;
    };
    std::vector<Unseen> unseen;                      // bound at bindings that the kernel does not declare
    std::vector<std::optional<std::uint32_t>> push;  // one per 4 bytes; empty where none was pushed
    struct Indirect {
        Index buffer = 0;
        std::string name;
        std::uint64_t offset = 0;  // bytes
        bool known = false;        // whether its words are known; if not, `groups` are 0
    };
    std::optional<Indirect> indirect = {};  // the place of `groups` in memory

    std::uint64_t groupSize() const;  // invocations of a work-group; 1 without facts
    std::uint64_t groupCount() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
    std::uint64_t invocations() const;
    std::optional<std::uint32_t> pushed(const PushMember& member) const;  // empty: it was not pushed
    bool writes(Index buffer) const;
    bool bindsAs(const DispatchCommand& other) const;   // the same kernel, with the same buffers at its bindings
    bool pushesAs(const DispatchCommand& other) const;  // the same kernel, with the same push constants, if it has some
};

// One dependency of a barrier. Without a buffer it concerns all memory; without access masks it orders execution only.
struct Dependency {
    vk::PipelineStageFlags2 srcStages, dstStages;
    vk::AccessFlags2 srcAccess, dstAccess;
    std::optional<Index> buffer = {};
    std::uint64_t offset = 0, size = VK_WHOLE_SIZE;  // bytes, in the buffer's array
};
struct BarrierCommand {
    std::vector<Dependency> dependencies;  // all at once; they do not chain
    std::size_t covered = SIZE_MAX;  // orders only this many first commands of the log: those before an event was set
};

struct TransferCommand {
    const char* call = "";  // vkCmdFillBuffer, vkCmdCopyBuffer, vkCmdUpdateBuffer
    Index to = 0;
    std::optional<Index> from = {};  // of a copy
    std::string fromName, toName;
    vk::BufferCopy region;  // bytes; srcOffset only for a copy
};

using Command = std::variant<DispatchCommand, BarrierCommand, TransferCommand>;

class CommandLog {
public:
    CommandLog() = default;
    // The log of a run of the recording, on a device with these limits. Its commands have the same places as in the
    // recording. What `facts` points to must outlive this object.
    CommandLog(const Recording& recording, const RecordedRun& run, const FactsOfPipelines& facts,
               const vk::PhysicalDeviceLimits& limits);

    // The log of a single dispatch.
    explicit CommandLog(DispatchCommand dispatch) { add(std::move(dispatch)); }

    const std::vector<Command>& commands() const { return commands_; }
    std::vector<const DispatchCommand*> dispatches() const;
    // Whether a dispatch or transfer in it can write to the buffer.
    bool mayWrite(Index buffer) const;
    // Calls beyond a limit, and what the recorder has reported.
    const std::vector<Finding>& findings() const { return findings_; }
    // This many first commands may reach a driver: none from the first one on that breaks a limit.
    std::size_t runnable() const { return runnable_; }

private:
    void add(DispatchCommand dispatch);
    class Reader;
    std::vector<Command> commands_;
    std::vector<Finding> findings_;
    std::size_t runnable_ = SIZE_MAX;
    std::uint64_t dispatchCount_ = 0;
};

}  // namespace a2
