// What a solution recorded, as plain data: all other parts of a2 know a recording only in this form.
//
// Everything refers to everything else by its index in the vectors below. A recording comes from a process that may do
// anything: nothing in it can be trusted before checkRecording (RecordingCheck.h) has checked it.
#pragma once

#include "a2/KernelShape.h"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace a2 {

using Index = std::uint32_t;  // an index into one of Recording's vectors

struct RecordedBuffer {
    enum class Role : std::uint8_t { input, blockOffsets, made };  // given by a2, or made by the solution
    enum class Lifetime : std::uint8_t { run, solution };          // as a2::Lifetime (a2/Buffer.h)
    std::string name;
    std::uint64_t bytes = 0;  // of the array itself: where it is replayed, guard words lie before and after it
    Role role = Role::made;
    Lifetime lifetime = Lifetime::run;
    bool operator==(const RecordedBuffer&) const = default;
};
// Whether it keeps its contents from one run to the next.
inline bool isKept(const RecordedBuffer& one)
{
    return one.role == RecordedBuffer::Role::made && one.lifetime == RecordedBuffer::Lifetime::solution;
}

// Words that the solution put into a buffer before its first run.
struct RecordedUpload {
    Index buffer = 0;
    std::uint64_t firstWord = 0;
    std::vector<std::uint32_t> words;
    std::uint64_t times = 1;                                      // how often `words` repeat; only a single word may
    std::uint64_t count() const { return words.size() * times; }  // number of words in all
    bool operator==(const RecordedUpload&) const = default;
};

struct RecordedSetLayout {
    struct Binding {
        std::uint32_t number = 0;
        std::uint32_t type = 0;   // VkDescriptorType: a storage or uniform buffer, with or without dynamic offset
        std::uint32_t count = 1;  // of descriptors
        auto operator<=>(const Binding&) const = default;
    };
    std::vector<Binding> bindings;  // by number
    auto operator<=>(const RecordedSetLayout&) const = default;
};

struct RecordedLayout {  // of a pipeline
    struct PushRange {
        std::uint32_t offset = 0, bytes = 0;
        auto operator<=>(const PushRange&) const = default;
    };
    std::vector<Index> setLayouts;  // of sets 0, 1, ...
    std::vector<PushRange> push;    // seen by the compute stage
    bool operator==(const RecordedLayout&) const = default;
};

struct RecordedPipeline {
    struct Constant {  // a specialisation constant
        std::uint32_t id = 0;
        std::vector<std::uint8_t> bytes;  // 1 to 8
        auto operator<=>(const Constant&) const = default;
    };
    std::string shader;               // file under shaders/ without .comp, made by ComputePipeline; empty: `code`
    KernelShape shape;                // for `shader`
    std::vector<std::uint32_t> code;  // SPIR-V of a module that the solution made itself
    std::string entry = "main";
    std::vector<Constant> constants;  // for `code`
    Index layout = 0;
    std::string name;  // debug name, may be empty
    bool operator==(const RecordedPipeline&) const = default;
};

// The name of a kernel in messages, from its file under shaders/, without .comp.
inline std::string kernelName(const std::string& shader)
{
    return shader.empty() ? "a kernel of the solution's own" : shader;
}

// A descriptor set as a command uses it. A set that is written to between two uses has two entries.
struct RecordedSet {
    struct Range {
        std::uint32_t binding = 0, element = 0;
        Index buffer = 0;
        std::uint64_t offset = 0, bytes = 0;  // in the array; never VK_WHOLE_SIZE
        bool operator==(const Range&) const = default;
    };
    Index layout = 0;  // of setLayouts
    std::vector<Range> ranges;
    std::string name;  // debug name, may be empty
    bool operator==(const RecordedSet&) const = default;
};

struct RecordedDispatch {
    struct Set {
        std::uint32_t number = 0;
        Index set = 0;
        std::vector<std::uint32_t> dynamicOffsets;  // bytes
        bool operator==(const Set&) const = default;
    };
    struct Push {  // known push constants, as ranges of bytes
        std::uint32_t offset = 0;
        std::vector<std::uint8_t> bytes;
        bool operator==(const Push&) const = default;
    };
    std::string label;                              // given by labelDispatch; may be empty
    std::optional<Index> pipeline;                  // empty: none was bound, and nothing can be dispatched
    Index layout = 0;                               // the pipeline's; without one, the layout that sets were bound with
    std::vector<Set> sets;                          // by number; as bound when the dispatch was recorded
    std::vector<Push> push;                         // by offset; ranges never touch
    std::array<std::uint32_t, 3> base{}, groups{};  // work-groups
    struct Indirect {
        Index buffer = 0;
        std::uint64_t offset = 0;  // bytes
        bool operator==(const Indirect&) const = default;
    };
    std::optional<Indirect> indirect;  // if set, `groups` are there, as three words
    bool operator==(const RecordedDispatch&) const = default;
};

// A pipeline barrier, or a wait for events.
struct RecordedBarrier {
    struct Dependency {
        std::uint64_t srcStages = 0, dstStages = 0;  // VkPipelineStageFlags2
        std::uint64_t srcAccess = 0, dstAccess = 0;  // VkAccessFlags2; both 0: only execution
        std::optional<Index> buffer;                 // none: all memory
        std::uint64_t offset = 0, bytes = 0;         // in the buffer; never VK_WHOLE_SIZE
        bool operator==(const Dependency&) const = default;
    };
    std::vector<Dependency> dependencies;  // all at once; they do not chain
    bool waits = false;                    // for events, which were all set earlier in this run
    std::uint64_t covered = 0;             // if it waits: orders only this many first commands of the run
    bool operator==(const RecordedBarrier&) const = default;
};

struct RecordedTransfer {
    enum class Kind : std::uint8_t { fill, update, copy };
    Kind kind = Kind::fill;
    Index to = 0, from = 0;                      // from: only for a copy
    std::uint64_t toOffset = 0, fromOffset = 0;  // bytes
    std::uint64_t bytes = 0;                     // never VK_WHOLE_SIZE
    std::uint32_t fill = 0;                      // value of a fill
    std::vector<std::uint8_t> data;              // for an update: `bytes` of them
    bool operator==(const RecordedTransfer&) const = default;
};

using RecordedCommand = std::variant<RecordedDispatch, RecordedBarrier, RecordedTransfer>;

// An error that the recorder itself has found, such as a call on a destroyed object.
struct RecordedFault {
    std::string rule;     // a rule of the lint, or "call" for a call that a recording cannot contain
    std::string message;  // one line
    std::optional<std::uint64_t> dispatch;
    bool operator==(const RecordedFault&) const = default;
};

// One call of record().
struct RecordedRun {
    std::vector<RecordedCommand> commands;  // in the order of execution; secondary command buffers are expanded
    std::vector<RecordedFault> faults;
    Index result = 0;  // the buffer that result() returned after it
    bool operator==(const RecordedRun&) const = default;
};

struct Recording {
    static constexpr std::uint32_t currentVersion = 2;

    std::uint32_t version = currentVersion;
    std::string task;         // its id
    std::uint64_t count = 0;  // n
    KernelShape shape;

    std::vector<RecordedBuffer> buffers;
    std::vector<RecordedUpload> uploads;
    std::vector<RecordedSetLayout> setLayouts;
    std::vector<RecordedLayout> layouts;
    std::vector<RecordedPipeline> pipelines;
    std::vector<RecordedSet> sets;
    std::vector<RecordedFault> faults;  // before the first run
    std::vector<RecordedRun> runs;      // of the same solution object, one after the other
    bool operator==(const Recording&) const = default;
};

}  // namespace a2
