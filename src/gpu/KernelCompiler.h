// Compiles GLSL to SPIR-V with glslang, while the program runs.
#pragma once

#include "a2/Error.h"
#include "base/Process.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// A kernel does not compile, or does not exist.
struct CompileError : KernelError {
    CompileError(const std::string& message, std::string path, std::optional<std::uint64_t> number = {})
        : KernelError(message), file(std::move(path)), line(number)
    {
    }
    std::string file;                   // in the folder of shaders
    std::optional<std::uint64_t> line;  // counted from 1; empty: not known
};

struct KernelCompiler {
    static constexpr const char* resultFile = "result.spv";

    // Tried in this order, until one can be started: the compiler of the built-in kernels, and then the one found in
    // PATH.
    std::vector<std::string> programs;
    std::string jail;  // a program that gets their path and arguments, and starts them; empty: none
    ProcessLimits limits;

    KernelCompiler();

    // The first program that can be started.
    std::optional<std::string> installed() const;

    // Compiles folder/NAME.comp. The file may include files from the include folders, in their order, and from its own
    // folder. folder is absolute, and the result stays there, as resultFile. Messages call the kernel `shownAs`.
    // symbol: a macro for the preprocessor; empty: none. Throws CompileError if it does not compile; KernelError if the
    // place of the error is not known, or if the compiler crashes or exceeds its limits; EnvironmentError if there is
    // no compiler.
    std::vector<std::uint32_t> compile(const std::filesystem::path& folder, const std::string& name,
                                       const std::vector<std::filesystem::path>& includes, const std::string& shownAs,
                                       const std::string& symbol = {}) const;
};

}  // namespace a2
