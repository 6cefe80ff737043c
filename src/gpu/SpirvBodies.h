// The functions of a SPIR-V module: which variables they load from and store to, and whether a barrier lies between.
#pragma once

#include "gpu/SpirvDeclarations.h"

#include <map>
#include <set>
#include <vector>

namespace a2 {

// What the code does with a variable, anywhere.
struct SpirvUse {
    bool loads = false, stores = false;
};

class SpirvBodies {
public:
    // variables: ids of the module's global variables.
    explicit SpirvBodies(const std::vector<SpirvDeclarations::Variable>& variables);
    void read(spv::Op opcode, SpirvWords words);

    SpirvUse use(std::uint32_t variable) const;

    // Whether some invocations write the scalar shared variable and then all use it, with no control barrier on a path
    // between. Only that: a write under a condition, a use that every invocation comes to, in one function. (Of arrays
    // nothing is said: whether two invocations meet in an element is not in the code's shape.)
    bool usedUnsynchronised(std::uint32_t variable) const;

private:
    enum class What { load, store, atomic, barrier };
    struct Event {
        What what;
        std::uint32_t variable;  // of a barrier: 0, or the function that is called and may hold one
    };
    struct Block {
        std::vector<Event> events;
        std::vector<std::uint32_t> next;  // labels
        bool returns = false;
    };
    struct Function {
        std::uint32_t entry = 0;  // label
        std::map<std::uint32_t, Block> blocks;
        bool hasBarrier = false;
    };

    void readControlFlow(spv::Op opcode, SpirvWords words);
    void readAccess(spv::Op opcode, SpirvWords words);
    void note(std::uint32_t pointer, What what);
    void call(SpirvWords words);
    bool alwaysReached(const Function& function, std::uint32_t label) const;
    bool reachedWithoutBarrier(const Function& function, std::uint32_t label, std::size_t event) const;
    Block& block() { return functions_[function_].blocks[label_]; }

    std::map<std::uint32_t, std::uint32_t> roots_;  // pointer -> variable it points into
    std::map<std::uint32_t, SpirvUse> uses_;
    std::map<std::uint32_t, Function> functions_;
    std::uint32_t function_ = 0, label_ = 0;
};

}  // namespace a2
