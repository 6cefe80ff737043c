// GLSL to SPIR-V by glslang, while the program runs.
#pragma once

#include "a2/Error.h"
#include "base/Process.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

// Of a kernel that does not compile, or is not there.
struct CompileError : KernelError {
    CompileError(const std::string& message, std::string path, std::optional<std::uint64_t> number = {})
        : KernelError(message), file(std::move(path)), line(number)
    {
    }
    std::string file;                   // under the folder of shaders
    std::optional<std::uint64_t> line;  // of it, from 1; empty: nobody knows where
};

struct KernelCompiler {
    static constexpr const char* resultFile = "result.spv";

    // Tried one after the other, until one can be started: the one that compiled the built-in kernels, and then what
    // PATH knows.
    std::vector<std::string> programs;
    std::string jail;  // a program that starts them, with their path and arguments as its own; empty: none does
    ProcessLimits limits;

    KernelCompiler();

    // The first program that can be started.
    std::optional<std::string> installed() const;

    // Compiles folder/NAME.comp; the file may include what lies in these folders, in their order, and beside it.
    // folder is absolute, and the result is left there, as resultFile. Messages call the kernel `shownAs`. symbol: that
    // the preprocessor knows; empty: none.
    // Throws CompileError if it does not compile, KernelError if nobody knows where, or if the compiler crashes or
    // comes to its limits; EnvironmentError if there is no compiler.
    std::vector<std::uint32_t> compile(const std::filesystem::path& folder, const std::string& name,
                                       const std::vector<std::filesystem::path>& includes, const std::string& shownAs,
                                       const std::string& symbol = {}) const;
};

}  // namespace a2
