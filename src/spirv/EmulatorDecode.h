// Decodes a module into the emulator's code.
#pragma once

#include "spirv/Emulator.h"
#include "spirv/EmulatorCode.h"
#include "spirv/Specialisation.h"

namespace a2::emulator {

// Throws KernelError for a module that cannot be run at all: for example, it is too large for an invocation's frame, or
// adds up things that are no numbers. Operations that are only unknown are noted in Code::unknown; a walk ends when an
// invocation reaches one.
Code decode(const SpirvModule& module, const Specialisation& given, const Observed& observed = {});

namespace limits {
constexpr std::uint64_t frameCells = std::uint64_t{1} << 20;  // of an invocation
constexpr std::uint64_t groupCells = std::uint64_t{1} << 24;  // of all invocations of a work-group
constexpr std::uint64_t sharedCells = std::uint64_t{1} << 20;
constexpr std::uint32_t invocations = 4096;
constexpr std::uint64_t pieces = std::uint64_t{1} << 20;
constexpr std::uint32_t stride = std::uint32_t{1} << 24;  // bytes
constexpr std::uint32_t depth = 255;                      // of nested types; the limit that SPIR-V has for structures
constexpr std::uint64_t descriptors = 4096;
constexpr std::uint64_t absurdIndex = std::uint64_t{1} << 32;  // of an array whose length the binding gives
constexpr std::uint64_t farthest = std::uint64_t{1} << 48;     // offset of a pointer
}  // namespace limits

}  // namespace a2::emulator
