// Runs a kernel's work-groups on the host, one invocation at a time, as far as its way does not depend on what buffers
// hold, and looks at what the invocations do to each other: what no result shows on a device that happens to run them
// in a lucky order.
#pragma once

#include "spirv/SpirvDeclarations.h"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace a2 {

// A fault inside a work-group: the lint's rule, and what was found, as the end of a sentence about the kernel.
struct GroupFault {
    const char* rule;
    std::string what;
};

class WorkGroupCheck {
public:
    using Word = std::optional<std::uint32_t>;
    using Groups = std::array<std::uint32_t, 3>;
    static constexpr std::uint32_t subgroupSize = 32;

    WorkGroupCheck() = default;  // of a kernel that needs no look
    WorkGroupCheck(const SpirvModule& module, const Specialisation& given);
    WorkGroupCheck(const WorkGroupCheck&) = delete;  // its instructions lead into its own words
    WorkGroupCheck& operator=(const WorkGroupCheck&) = delete;
    WorkGroupCheck(WorkGroupCheck&&) = default;
    WorkGroupCheck& operator=(WorkGroupCheck&&) = default;

    // A fault in the first or the last work-group of a dispatch with these work-groups along x, y, z and these push
    // constants (one per 4 bytes):
    // - missing-barrier: one invocation writes a word of shared memory that another one uses, with no barrier() between
    // - missing-barrier: invocations come to different numbers of barrier() calls
    // - out-of-bounds: an element behind the end of a shared array
    // Only what is certain: an invocation is followed to where its way depends on memory, on an instruction that is not
    // understood here, or gets very long; indices that do are left out. Subgroups are taken to have subgroupSize
    // invocations, in the order of their numbers; what they tell each other is not known, but for who is elected and
    // how many they are, and that as long as all of them come along. The same dispatch is looked at once; of a kernel
    // without an early return, whose barriers do not depend on the numbers, only the first dispatch of one work-group
    // and the first of several.
    // A kernel beyond the limits below is not followed, and nothing is found where they end.
    std::optional<GroupFault> fault(const Groups& groups, const std::vector<Word>& push);

private:
    // What it may take to follow a kernel, in time and in memory.
    static constexpr std::uint32_t mostIds = 1 << 14, mostInvocations = 4096;
    static constexpr std::uint64_t mostSteps = 100'000;        // of an invocation
    static constexpr std::uint64_t mostInFaults = 64'000'000;  // of all that fault() looks at
    static constexpr std::size_t mostKept = 4'000'000;         // traces' parts, of a work-group
    static constexpr std::size_t mostPlaces = 1'000'000;

    using Value = std::array<Word, 4>;  // a number, or the components of a vector; empty: unknown
    struct Pointer {
        std::uint32_t variable = 0;
        std::uint32_t type = 0;  // what it points to; 0: the variable's
        bool whole = true;       // points to the variable itself,
        Word component = {};     // or to this part of it; empty: unknown
        Word pushOffset = {};    // bytes into the push constants
    };
    struct Function {
        std::vector<SpirvWords> code;
        std::vector<std::uint32_t> parameters;
        std::map<std::uint32_t, std::size_t> labels;  // -> position in code
    };
    struct Invocation {
        std::array<std::uint32_t, 3> group{}, groups{}, local{};  // its work-group's number, how many, its own
        const std::vector<Word>* push = nullptr;
    };
    // One access to shared memory.
    struct Access {
        std::uint64_t barriers = 0;  // how many the invocation has come to before
        std::uint32_t variable = 0, element = 0;
        std::uint64_t together = 0;  // how much it has done as one with its subgroup before
        enum class Kind { read, write, atomic } kind = Kind::read;
        std::tuple<std::uint64_t, std::uint32_t, std::uint32_t> place() const { return {barriers, variable, element}; }
    };
    struct Trace {
        bool complete = false;  // or it ends where the way could no longer be told
        std::uint64_t barriers = 0;
        std::uint64_t steps = 0;  // what it took to follow: instructions, more where they are long
        std::vector<Access> accesses;
        std::vector<std::uint32_t> together;  // what its subgroup does as one, subgroupElect() and the like, in order
        std::size_t size() const { return accesses.size() + together.size(); }
    };
    class Run;

    struct Invocations;
    struct Place;
    using Places = std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint32_t>, Place>;  // by Access::place()

    bool mayLeaveEarly() const;
    Trace trace(const Invocation& invocation, std::uint64_t most) const;  // most: steps
    static void keepCertain(std::vector<Trace>& subgroup);
    Value builtIn(std::uint32_t variable, const Invocation& invocation) const;
    std::uint32_t invocations() const;  // of a work-group
    std::uint32_t numberInGroup(const Invocation& invocation) const;
    std::optional<GroupFault> faultOf(std::uint32_t invocation, std::uint64_t number, const Trace& traced,
                                      std::optional<std::uint64_t>& others, Places& places) const;
    std::optional<GroupFault> faultIn(const std::array<std::uint32_t, 3>& group, const Groups& groups,
                                      const std::vector<Word>& push);
    std::string elementName(const Access& access) const;

    std::vector<std::uint32_t> words_;  // the module's
    SpirvDeclarations declarations_{KernelShape()};
    std::map<std::uint32_t, Function> functions_;
    SpirvTable<Value> constants_;
    SpirvTable<SpirvDeclarations::Variable> variables_;  // of the module; id 0: none
    std::set<std::uint32_t> wide_;                       // types of numbers that are not 32 bits: not followed
    std::uint32_t main_ = 0;                             // 0: the kernel is not followed
    std::uint64_t left_ = 0;                             // steps that fault() may still take
    bool useful_ = false;                                // there is shared memory or a barrier()
    bool mayLeaveEarly_ = false;
    std::map<std::pair<Groups, std::vector<Word>>, std::optional<GroupFault>> known_;
};

}  // namespace a2
