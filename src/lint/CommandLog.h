// One run of a recording as the lint and the steps see it: dispatches with everything bound to them, barriers,
// transfers. Buffers go by their place in the recording.
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
    std::uint64_t offset = 0, range = 0;  // bytes, of its array
    bool uniform = false;
};

struct DispatchCommand {
    std::uint64_t index = 0;  // from 0
    std::string label;        // given by labelDispatch; the kernel's name where there is none
    std::string kernel;
    std::string shader;                  // file under shaders/ without .comp; empty: the kernel is the solution's own
    std::optional<Index> pipeline = {};  // of the recording; none where none was bound
    const KernelFacts* facts = nullptr;  // null there
    std::uint32_t workGroup = 0;         // invocations that its work-groups were asked to have; 0: none in particular
    std::array<std::uint32_t, 3> groups{};
    std::vector<BoundBuffer> buffers;  // that the kernel declares
    struct Unseen {
        std::uint32_t binding = 0;
        Index buffer = 0;
    };
    std::vector<Unseen> unseen;                      // bound where the kernel declares none
    std::vector<std::optional<std::uint32_t>> push;  // one per 4 bytes; empty where nobody pushed any
    struct Indirect {
        Index buffer = 0;
        std::string name;
        std::uint64_t offset = 0;  // bytes
        bool known = false;        // what lies there; otherwise `groups` are 0
    };
    std::optional<Indirect> indirect = {};  // where `groups` lie

    std::uint64_t groupSize() const;  // invocations of a work-group; 1 without facts
    std::uint64_t groupCount() const { return std::uint64_t{groups[0]} * groups[1] * groups[2]; }
    std::uint64_t invocations() const;
    std::optional<std::uint32_t> pushed(const PushMember& member) const;  // empty: nobody pushed it
    bool writes(Index buffer) const;
};

// One dependency of a barrier. Without a buffer it is about all memory; without access masks only about execution.
struct Dependency {
    vk::PipelineStageFlags2 srcStages, dstStages;
    vk::AccessFlags2 srcAccess, dstAccess;
    std::optional<Index> buffer = {};
    std::uint64_t offset = 0, size = VK_WHOLE_SIZE;  // bytes, of the buffer's array
};
struct BarrierCommand {
    std::vector<Dependency> dependencies;  // all at once, they do not chain
    std::size_t covered = SIZE_MAX;        // orders only the first so many commands of the log: those before an event
};

struct TransferCommand {
    const char* call = "";  // vkCmdFillBuffer, vkCmdCopyBuffer, vkCmdUpdateBuffer
    Index to = 0;
    std::optional<Index> from = {};  // of a copy
    std::string fromName, toName;
    vk::BufferCopy region;  // bytes; srcOffset only of a copy
};

using Command = std::variant<DispatchCommand, BarrierCommand, TransferCommand>;

class CommandLog {
public:
    CommandLog() = default;
    // Of a run of the recording, on a device with these limits. Its commands have the recording's places. What
    // `facts` names outlives this object.
    CommandLog(const Recording& recording, const RecordedRun& run, const FactsOfPipelines& facts,
               const vk::PhysicalDeviceLimits& limits);

    // Of one dispatch alone.
    explicit CommandLog(DispatchCommand dispatch) { add(std::move(dispatch)); }

    const std::vector<Command>& commands() const { return commands_; }
    std::vector<const DispatchCommand*> dispatches() const;
    // Whether a dispatch or transfer in it can write to the buffer.
    bool mayWrite(Index buffer) const;
    // Calls beyond a limit, and what the recorder has seen.
    const std::vector<Finding>& findings() const { return findings_; }
    // So many commands may reach a driver: from the first on that breaks a limit, none.
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
