#include "gpu/KernelCompiler.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "base/PrintableText.h"
#include "base/SourceText.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <spirv/unified1/spirv.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace a2 {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largestResult = std::uintmax_t{16} << 20;  // bytes; the project's largest has 20 KiB

// The form that libuv needs, and that glslang uses in its messages.
std::string text(const fs::path& path)
{
    const std::u8string utf8 = path.generic_u8string();
    return {utf8.begin(), utf8.end()};
}

struct GlslError {
    std::string what;        // printable; empty: no error was found
    std::string file;        // as the compiler names it
    std::uint64_t line = 0;  // 0: not known
    bool own = false;        // `file` is the kernel's own file, and `what` does not name it
};

// Reads "FILE:12: ..."; only "..." is left of it if FILE is the kernel's own file.
void findPlace(const std::string& kernelFile, GlslError& error)
{
    const std::size_t colon = error.what.find(':');
    if (colon == std::string::npos) return;
    error.file = error.what.substr(0, colon);
    error.line = std::strtoull(error.what.c_str() + colon + 1, nullptr, 10);
    const std::size_t words = error.what.find(": ", colon + 1);
    error.own = error.file == kernelFile && error.line > 0 && words != std::string::npos;
    if (error.own) error.what.erase(0, words + 2);
    if (error.file.starts_with("include/")) error.what = "shaders/" + error.what;
}

// That line of the source, if the compiler has read the file: a text may also name a file that it did not read.
std::string sourceOf(const GlslError& error, const fs::path& folder)
{
    const fs::path file = pathOf(error.file);
    const bool outside = file.is_absolute() || file.has_root_name() ||
                         std::any_of(file.begin(), file.end(), [](const fs::path& one) { return one == ".."; });
    std::error_code ignored;
    if (outside || !fs::is_regular_file(fs::symlink_status(folder / file, ignored))) return {};
    std::ifstream stream(folder / file, std::ios::binary);
    std::ostringstream text;
    text << stream.rdbuf();
    return quoted(sourceLine(text.str(), error.line));
}

// "ERROR: FOLDER/NAME.comp:12: 'x' : undeclared identifier" -> "'x' : undeclared identifier", and how many more there
// are.
GlslError firstError(const std::string& output, const std::string& folder, const std::string& file)
{
    std::istringstream lines(output);
    GlslError first;
    int count = 0;
    const std::string prefix = "ERROR: ";
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(prefix) || line.find("compilation errors") != std::string::npos) continue;
        if (count++ > 0) continue;
        first.what = line.substr(prefix.size());
        std::erase(first.what, '\r');
        if (first.what.starts_with(folder + "/")) first.what = first.what.substr(folder.size() + 1);
        findPlace(file, first);
    }
    first.what = printableText(first.what);
    if (count > 1) first.what += fmt::format(" (and {} more)", count - 1);
    return first;
}

std::vector<std::uint32_t> readResult(const fs::path& file, const std::string& shownAs)
{
    std::error_code error;
    const std::uintmax_t bytes = fs::file_size(file, error);
    if (!error && bytes > largestResult)
        throw KernelError(fmt::format("{} becomes {} bytes of SPIR-V, and a kernel may have {}: make it smaller",
                                      shownAs, bytes, largestResult));
    std::vector<std::uint32_t> words(error ? 0 : static_cast<std::size_t>(bytes) / sizeof(std::uint32_t));
    std::ifstream stream(file, std::ios::binary);
    stream.read(reinterpret_cast<char*>(words.data()),
                static_cast<std::streamsize>(words.size() * sizeof(std::uint32_t)));
    if (error || !stream || words.empty() || words.front() != spv::MagicNumber || bytes % sizeof(std::uint32_t) != 0)
        throw KernelError(fmt::format("{} was compiled, but what came of it is not SPIR-V", shownAs));
    return words;
}

}  // namespace

KernelCompiler::KernelCompiler() : programs{buildFacts.glslang, "glslangValidator", "glslang"}
{
    if (installation()) programs.insert(programs.begin(), text(installation()->programs / "glslangValidator"));
    limits.fileBytes = 4 * largestResult;
}

std::optional<std::string> KernelCompiler::installed() const
{
    for (const std::string& program : programs)
        if (runProcess(program, {"--version"}, limits).ended != ProcessResult::Ended::notStarted) return program;
    return std::nullopt;
}

std::vector<std::uint32_t> KernelCompiler::compile(const fs::path& folder, const std::string& name,
                                                   const std::vector<fs::path>& includes, const std::string& shownAs,
                                                   const std::string& symbol) const
{
    const fs::path target = folder / resultFile;
    // Paths are absolute, so that no name can look like an option.
    std::vector<std::string> arguments = {"--target-env", buildFacts.targetEnv, "--quiet", "-g", "-o", text(target)};
    for (const fs::path& include : includes) arguments.push_back("-I" + text(fs::absolute(include)));
    if (!symbol.empty()) arguments.push_back("-D" + symbol);
    const std::string file = name + ".comp";
    arguments.push_back(text(folder / pathOf(file)));

    ProcessResult result;
    for (const std::string& program : programs) {
        if (jail.empty()) {
            result = runProcess(program, arguments, limits);
        } else {
            arguments.insert(arguments.begin(), program);
            result = runProcess(jail, arguments, limits);
            arguments.erase(arguments.begin());
        }
        if (result.ended != ProcessResult::Ended::notStarted) break;
    }
    if (result.succeeded()) return readResult(target, shownAs);
    switch (result.ended) {
        case ProcessResult::Ended::notStarted:
            throw EnvironmentError(
                fmt::format("{} must be compiled now, and glslang could not be started ({}): install glslang-tools, or "
                            "the Vulkan SDK",
                            shownAs, result.problem));
        case ProcessResult::Ended::timedOut:
            throw KernelError(fmt::format("{} does not compile: glslang did not come to an end with it in {:g} s",
                                          shownAs, static_cast<double>(limits.time.count()) / 1000));
        case ProcessResult::Ended::signalled:
            throw KernelError(fmt::format("{} does not compile: glslang crashed on it, or ran out of memory ({})",
                                          shownAs, result.howItEnded(limits)));
        case ProcessResult::Ended::exited:
            break;
    }
    const GlslError error = firstError(result.output, text(folder), file);
    if (error.what.empty())
        throw KernelError(
            fmt::format("{} does not compile: glslang gave no reason ({})", shownAs, result.howItEnded(limits)));
    const std::string place = error.own ? fmt::format("{}:{}", shownAs, error.line) : shownAs;
    const std::string message = fmt::format("{} does not compile: {}", place, error.what);
    if (error.line == 0) throw KernelError(message);
    throw CompileError(message + sourceOf(error, folder), printableText(error.file), error.line);
}

}  // namespace a2
