// Keeps invalid SPIR-V away from everything that reads it: the host's own analysis, and the driver, which may crash on
// it.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

// Whether SPIRV-Tools' validator, spirv-val, can be run.
bool kernelValidatorInstalled();

// Throws KernelError, in one line with the kernel's name, if a2 cannot read `spirv` (spirv/SpirvModule.h), or if
// SPIRV-Tools' validator finds an error. The validator only checks kernels that differ from those of this build, and
// those with their own SPIR-V instructions (GL_EXT_spirv_intrinsics): glslang ensures that the others are valid. Where
// the validator is not installed, kernels with their own instructions are refused. Throws EnvironmentError if there is
// no room for the validator's input.
void checkKernel(const std::string& name, std::span<const std::uint32_t> spirv);

}  // namespace a2
