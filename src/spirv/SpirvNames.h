// Names of SPIR-V's numbers, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace a2 {

// "OpAtomicFAddEXT"; "opcode 4711" if the headers that a2 was built with do not name it.
std::string opcodeName(std::uint32_t opcode);
// "Float64"; "capability 4711".
std::string capabilityName(std::uint32_t capability);
// For the set GLSL.std.450: "Modf"; "instruction 4711".
std::string glslName(std::uint32_t instruction);

}  // namespace a2
