#include "spirv/SpirvNames.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace a2 {

namespace {

struct Named {
    std::uint32_t number;
    const char* name;
};

#include "SpirvNames.inc"  // generated from the headers by CMakeLists.txt

// Null if there is none.
const char* nameIn(std::span<const Named> names, std::uint32_t number)
{
    const auto found = std::find_if(names.begin(), names.end(), [&](const Named& one) { return one.number == number; });
    return found == names.end() ? nullptr : found->name;
}

}  // namespace

std::string opcodeName(std::uint32_t opcode)
{
    const char* const name = opcode == 0 ? nullptr : nameIn(namesOp, opcode);
    return name ? fmt::format("Op{}", name) : fmt::format("opcode {}", opcode);
}

std::string capabilityName(std::uint32_t capability)
{
    const char* const name = nameIn(namesCapability, capability);
    return name ? name : fmt::format("capability {}", capability);
}

std::string glslName(std::uint32_t instruction)
{
    const char* const name = nameIn(namesGLSLstd450, instruction);
    return name ? name : fmt::format("instruction {}", instruction);
}

}  // namespace a2
