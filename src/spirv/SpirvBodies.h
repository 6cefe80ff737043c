// The functions of a SPIR-V module: which variables they load from and store to.
#pragma once

#include "spirv/SpirvDeclarations.h"

#include <map>
#include <vector>

namespace a2 {

// How the code uses a variable anywhere.
struct SpirvUse {
    bool loads = false, stores = false;
};

class SpirvBodies {
public:
    explicit SpirvBodies(const std::vector<SpirvDeclarations::Variable>& variables);
    void read(spv::Op opcode, SpirvWords words);

    SpirvUse use(std::uint32_t variable) const;

private:
    void note(std::uint32_t pointer, bool loads, bool stores);

    std::map<std::uint32_t, std::uint32_t> roots_;  // pointer -> the variable into which it points
    std::map<std::uint32_t, SpirvUse> uses_;
};

}  // namespace a2
