// A kernel's SPIR-V by its name.
#pragma once

#include "a2/Error.h"
#include "gpu/BuiltInShaders.h"
#include "gpu/Device.h"
#include "spirv/KernelFacts.h"

#include <functional>
#include <span>
#include <string>

namespace a2 {

// Always the built-in kernels: they measure the device and judge the user's kernels.
constexpr const char* copyShader = "Copy";
constexpr const char* digestShader = "A2Digest";
constexpr const char* addPeakShader = "A2LabAddPeak";  // the beginning of its name; only for a2 prescan

// The kernel shaders/NAME.comp as it is on disk now (gpu/KernelSources.h), read once per device.
// Throws KernelError if there is no such kernel or it does not compile, EnvironmentError if there is no compiler for
// it.
std::span<const std::uint32_t> loadShader(Device& state, const std::string& name);

// The code of a recorded pipeline: what the solution gave, or the shader that it names. Throws as loadShader.
std::span<const std::uint32_t> codeOf(Device& state, const RecordedPipeline& pipeline);

// loadShader on this device, which must outlive it, for code that needs nothing else of a device.
std::function<std::span<const std::uint32_t>(const std::string& name)> shadersOf(Device& state);

// The result of `read` for the kernel's SPIR-V; its error messages get the kernel's name in front.
template <class Read>
auto readKernel(const std::string& name, const Read& read)
{
    try {
        return read();
    } catch (const KernelError& error) {
        throw KernelError(name + ": " + error.what());
    }
}

// The same kernel's facts in this shape. Throws as loadShader, and a KernelError with the kernel's name where its
// SPIR-V is not valid in this shape.
KernelFacts shaderFacts(Device& state, const std::string& name, const KernelShape& shape);

}  // namespace a2
