// Memory that a `restrict` variable and another variable name: if one of them writes to a word and the other uses it,
// the result is undefined (GLSL 4.50, section 4.10, "Memory Qualifiers"), because a compiler may treat it as two words.
#pragma once

#include "spirv/EmulatorState.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace a2::emulator {

class Faults;

class Aliases {
public:
    Aliases(WalkState& state, Faults& faults);

    bool any() const { return any_; }  // a `restrict` variable's memory has another name
    void note(const Actor& actor, const Resource& resource, std::uint64_t word, const AccessWays& ways);

private:
    struct AliasUse {  // a use of a word through one of the variables that name it
        std::uint32_t variable = 0;
        bool writes = false;
        std::uint32_t at = 0;
        std::uint64_t group = 0;
        std::uint32_t invocation = 0;
    };
    void found(const Actor& actor, const Resource& resource, std::uint64_t word, const AliasUse& other);

    WalkState& state_;
    Faults& faults_;
    bool any_ = false;
    std::unordered_map<std::uint64_t, std::vector<AliasUse>> aliased_;  // by word, for such memory
};

}  // namespace a2::emulator
