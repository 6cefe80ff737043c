// Runs a kernel's work-groups on the host, one invocation at a time, as far as its way does not depend on what buffers
// hold, and looks at what the invocations do to each other: what no result shows on a device that happens to run them
// in a lucky order.
#pragma once

#include "kernel/SpirvDeclarations.h"

#include <array>
#include <map>
#include <optional>
#include <string>
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

    WorkGroupCheck() = default;  // of a kernel that needs no look
    WorkGroupCheck(SpirvWords module, const KernelShape& shape);

    // A fault in the first or the last work-group of a dispatch with these work-groups along x, y, z and these push
    // constants (one per 4 bytes):
    // - missing-barrier: one invocation writes a word of shared memory that another one uses, with no barrier() between
    // - missing-barrier: invocations come to different numbers of barrier() calls
    // - out-of-bounds: an element behind the end of a shared array
    // Only what is certain: invocations whose way depends on memory, on an instruction that is not followed here, or is
    // very long, are left out, and so are indices that do. The same dispatch is looked at once; of a kernel without an
    // early return, whose barriers do not depend on the numbers, only the first dispatch of one work-group and the
    // first of several.
    std::optional<GroupFault> fault(const Groups& groups, const std::vector<Word>& push);

private:
    using Value = std::array<Word, 4>;  // a number, or the components of a vector; empty: unknown
    using Instruction = std::vector<std::uint32_t>;
    struct Pointer {
        std::uint32_t variable = 0;
        bool whole = true;     // points to the variable itself,
        Word component = {};   // or to this part of it; empty: unknown
        Word pushOffset = {};  // bytes into the push constants
    };
    struct Function {
        std::vector<Instruction> code;
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
        enum class Kind { read, write, atomic } kind = Kind::read;
        auto place() const { return std::tuple(barriers, variable, element); }
    };
    struct Trace {
        std::uint64_t barriers = 0;
        std::vector<Access> accesses;
    };
    class Run;

    bool mayLeaveEarly() const;
    std::optional<Trace> trace(const Invocation& invocation) const;  // empty: its way cannot be told
    std::optional<GroupFault> faultIn(const std::array<std::uint32_t, 3>& group, const Groups& groups,
                                      const std::vector<Word>& push) const;
    std::string elementName(const Access& access) const;

    SpirvDeclarations declarations_{KernelShape()};
    std::map<std::uint32_t, Function> functions_;
    std::vector<Value> constants_;                        // by id
    std::vector<SpirvDeclarations::Variable> variables_;  // of the module, by id; id 0: none
    std::uint32_t main_ = 0;
    bool useful_ = false;  // there is shared memory or a barrier(), and no integer but of 32 bits
    bool mayLeaveEarly_ = false;
    std::map<std::pair<Groups, std::vector<Word>>, std::optional<GroupFault>> known_;
};

}  // namespace a2
