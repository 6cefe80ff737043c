// Keeps kernels that are not valid SPIR-V away from everything that reads them: the host's own look, and the driver,
// which may end the program over one.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace a2 {

// Whether SPIRV-Tools' validator, spirv-val, can be run.
bool kernelValidatorInstalled();

// Throws KernelError, in one line with the kernel's name, if a2 cannot read `spirv` (spirv/SpirvModule.h), or if
// SPIRV-Tools' validator finds something. The validator is asked about kernels that are not as this build has them, and
// about those that write instructions themselves (GL_EXT_spirv_intrinsics): glslang takes care of the others. Where it
// is not installed, the latter are refused. Throws EnvironmentError if there is no room for its input.
void checkKernel(const std::string& name, std::span<const std::uint32_t> spirv);

}  // namespace a2
