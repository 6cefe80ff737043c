// What the numbers of SPIR-V are called, for messages.
#pragma once

#include <cstdint>
#include <string>

namespace a2 {

// "OpAtomicFAddEXT"; "opcode 4711" where the headers that a2 was built with have no name.
std::string opcodeName(std::uint32_t opcode);
// "Float64"; "capability 4711".
std::string capabilityName(std::uint32_t capability);
// Of the set GLSL.std.450: "Modf"; "instruction 4711".
std::string glslName(std::uint32_t instruction);

}  // namespace a2
