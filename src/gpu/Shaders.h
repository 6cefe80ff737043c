// A kernel's SPIR-V by its name.
#pragma once

#include "gpu/BuiltInShaders.h"
#include "gpu/GpuState.h"

#include <string>

namespace a2 {

// Always the ones built in: they measure the device, not the user's kernels.
constexpr const char* copyShader = "Copy";
constexpr const char* addFloatShader = "A2LabAddPeakFloat";
constexpr const char* addUintShader = "A2LabAddPeakUint";

// The kernel shaders/NAME.comp as it is on disk now (gpu/KernelSources.h), read once per device; NAME + countedSuffix
// is the kernel that counts what it does (kernel/CountedKernel.h).
// Throws KernelError if there is no such kernel or it does not compile, EnvironmentError if there is no compiler for
// it.
std::span<const std::uint32_t> loadShader(GpuState& state, const std::string& name);

}  // namespace a2
