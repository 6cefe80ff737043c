#include "gpu/KernelCheck.h"

#include "a2/Error.h"
#include "base/PrintableText.h"
#include "base/Process.h"
#include "files/TemporaryFolder.h"
#include "gpu/BuiltInShaders.h"
#include "spirv/SpirvModule.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string_view>

namespace a2 {

namespace {

constexpr const char* validator = "spirv-val";

using Words = std::span<const std::uint32_t>;

bool isBuiltIn(const std::string& name, Words spirv)
{
    const auto all = builtInShaders();
    return std::any_of(all.begin(), all.end(), [&](const BuiltInShader& one) {
        return one.name == name && std::ranges::equal(one.spirv, spirv);
    });
}

// Whether the kernel's GLSL names the extension.
bool names(const SpirvModule& module, std::string_view extension)
{
    bool found = false;
    forEachInstruction(module, [&](spv::Op opcode, SpirvWords words) {
        if (opcode != spv::OpSourceExtension) return;
        const auto text = std::as_bytes(std::span(words.begin(), words.end())).subspan(sizeof(std::uint32_t));
        found = found || (text.size() >= extension.size() &&
                          std::equal(extension.begin(), extension.end(), text.begin(),
                                     [](char a, std::byte b) { return static_cast<std::byte>(a) == b; }));
    });
    return found;
}

// Whether the GLSL contains SPIR-V instructions that glslang passes on unchanged.
bool hasOwnInstructions(const SpirvModule& module) { return names(module, "GL_EXT_spirv_intrinsics"); }

// "error: line 41: OpFunctionCall ..." and more lines -> "instruction 41: OpFunctionCall ...": no line of a kernel's
std::string firstLine(const std::string& output)
{
    const std::string prefix = "error: ";
    std::string line = output.substr(0, output.find('\n'));
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
    const std::string place = "line ";
    if (line.starts_with(place)) line.replace(0, place.size(), "instruction ");
    return printableText(line);
}

void validate(const std::string& name, const SpirvModule& module)
{
    ProcessLimits limits;
    limits.time = std::chrono::seconds(20);
    TemporaryFolder folder;
    const auto file = folder.file("kernel.spv");
    std::ofstream stream(file, std::ios::binary);
    const auto bytes = std::as_bytes(module.words());
    stream.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    stream.close();
    if (!stream)
        throw EnvironmentError(fmt::format("{} could not be written, which {} reads", file.string(), validator));

    const ProcessResult result = runProcess(validator, {"--target-env", "vulkan1.1", file.string()}, limits);
    if (result.succeeded()) return;
    if (result.ended == ProcessResult::Ended::notStarted) {
        if (!hasOwnInstructions(module)) return;
        throw KernelError(fmt::format(
            "{} writes SPIR-V instructions itself (GL_EXT_spirv_intrinsics), and {}, which would check them, "
            "is not installed: install spirv-tools, or the Vulkan SDK",
            name, validator));
    }
    const bool found = result.ended == ProcessResult::Ended::exited && !firstLine(result.output).empty();
    const char* const hint =
        names(module, "GL_EXT_scalar_block_layout")
            ? "; a2 asks no device for scalarBlockLayout: leave out GL_EXT_scalar_block_layout, and "
              "declare blocks std430"
            : "";
    throw KernelError(fmt::format("{} is not valid: {}: {}{}", name, validator,
                                  found ? firstLine(result.output) : result.howItEnded(limits), hint));
}

}  // namespace

bool kernelValidatorInstalled()
{
    return runProcess(validator, {"--version"}).ended != ProcessResult::Ended::notStarted;
}

void checkKernel(const std::string& name, std::span<const std::uint32_t> spirv)
{
    try {
        const SpirvModule module(spirv);
        if (!isBuiltIn(name, spirv) || hasOwnInstructions(module)) validate(name, module);
    } catch (const InvalidSpirvError& error) {
        // The validator blames the SPIR-V, but the author wrote GLSL, which has compiled.
        throw KernelError(
            fmt::format("{}: {}, made by the compiler of kernels from GLSL that it takes: write it another "
                        "way, such as constants outside of functions",
                        name, error.what()));
    } catch (const KernelError& error) {
        const std::string what = error.what();
        throw KernelError(what.starts_with(name) ? what : fmt::format("{}: {}", name, what));
    }
}

}  // namespace a2
