// Runs a kernel on the host, one invocation at a time, as far as its way does not depend on what buffers hold.
#pragma once

#include "gpu/KernelFacts.h"
#include "gpu/SpirvDeclarations.h"

#include <array>
#include <map>
#include <optional>
#include <vector>

namespace a2 {

class SpirvFlow {
public:
    SpirvFlow(SpirvWords module, const SpirvDeclarations& declarations);

    // Whether some invocations may leave main() before a barrier() that others come to.
    bool mayLeaveEarly() const;
    // Two invocations of the first or the last work-group that surely do not come to the same barriers. Invocations
    // whose way depends on memory, on an instruction that is not followed here, or is very long, are left out.
    std::optional<UnequalBarriers> unequalBarriers(const std::array<std::uint32_t, 3>& groups,
                                                   std::span<const std::optional<std::uint32_t>> push) const;

private:
    using Word = std::optional<std::uint32_t>;
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
        std::span<const Word> push;
    };
    class Run;
    std::optional<std::uint64_t> barriers(const Invocation& invocation) const;

    SpirvDeclarations declarations_;
    std::map<std::uint32_t, Function> functions_;
    std::vector<Value> constants_;                        // by id
    std::vector<SpirvDeclarations::Variable> variables_;  // of the module, by id; id 0: none
    std::uint32_t main_ = 0;
    bool only32Bits_ = true;  // all integers: others are not followed
};

}  // namespace a2
