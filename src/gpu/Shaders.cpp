#include "gpu/Shaders.h"

#include "a2/Error.h"
#include "gpu/KernelCheck.h"
#include "kernel/CountedKernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#ifdef _WIN32
#define popen _popen
#define pclose _pclose
#else
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& argument)
{
#ifdef _WIN32
    return '"' + argument + '"';
#else
    std::string text = "'";
    for (const char c : argument) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
#endif
}

struct Finished {
    int status;
    std::string output;
};

Finished runCompiler(const fs::path& source, const fs::path& target)
{
    // The flags of CMakeLists.txt, so that a kernel means the same here and there.
    const std::string command = fmt::format("glslangValidator --target-env vulkan1.1 --quiet -o {} {} 2>&1",
                                            quoted(target.string()), quoted(source.string()));
    FILE* pipe = popen(command.c_str(), "r");
    if (!pipe) return {127, ""};
    Finished finished{0, ""};
    char chunk[4096];
    while (const std::size_t read = std::fread(chunk, 1, sizeof chunk, pipe)) finished.output.append(chunk, read);
    finished.status = pclose(pipe);
    return finished;
}

// "ERROR: path:12: 'x' : undeclared identifier" -> "line 12: 'x' : undeclared identifier", and how many more there are.
std::string firstError(const std::string& output, const fs::path& source)
{
    std::istringstream lines(output);
    std::string first;
    int count = 0;
    const std::string prefix = "ERROR: ";
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(prefix) || line.find("compilation errors") != std::string::npos) continue;
        if (count++ > 0) continue;
        first = line.substr(prefix.size());
        if (first.starts_with(source.string() + ":")) first = "line " + first.substr(source.string().size() + 1);
    }
    if (count > 1)
        first += fmt::format(" (and {} more: glslangValidator --target-env vulkan1.1 {})", count - 1, source.string());
    return first.empty() ? "glslangValidator gave no reason" : first;
}

std::vector<std::uint32_t> readWords(const fs::path& file)
{
    std::ifstream stream(file, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
    std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
    return words;
}

// A file name of our own that goes away with the object.
struct TemporaryFile {
    fs::path path;
    explicit TemporaryFile(const std::string& stem)
    {
#ifdef _WIN32
        const auto process = static_cast<unsigned long>(std::hash<std::string>{}(stem));
#else
        const auto process = static_cast<unsigned long>(getpid());
#endif
        path = fs::temp_directory_path() / fmt::format("a2-{}-{}.spv", process, stem);
    }
    ~TemporaryFile()
    {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

std::vector<std::uint32_t> compile(const fs::path& source, const std::string& name)
{
    const TemporaryFile target(name);
    const Finished finished = runCompiler(source, target.path);
    if (finished.status != 0 && finished.output.find("ERROR") == std::string::npos)
        throw EnvironmentError(
            "glslangValidator could not be run, and --shader-dir needs it: install glslang-tools, or the Vulkan SDK");
    if (finished.status != 0)
        throw KernelError(fmt::format("{} does not compile: {}", source.string(), firstError(finished.output, source)));
    std::vector<std::uint32_t> words = readWords(target.path);
    if (words.empty())
        throw EnvironmentError(fmt::format("{} was compiled, but its result could not be read", source.string()));
    checkKernel(name, words);
    return words;
}

}  // namespace

std::span<const std::uint32_t> loadShader(GpuState& state, const std::string& name)
{
    if (name.ends_with(countedSuffix)) {
        const auto made = state.countedShaders.find(name);
        if (made != state.countedShaders.end()) return made->second;
        const std::string plain = name.substr(0, name.size() - countedSuffix.size());
        return state.countedShaders.emplace(name, countedKernel(loadShader(state, plain))).first->second;
    }
    const bool measuresDevice = name == copyShader || name == addFloatShader || name == addUintShader;
    if (state.shaderDir.empty() || measuresDevice) {
        const auto all = builtInShaders();
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const BuiltInShader& one) { return one.name == name; });
        if (found == all.end())
            throw EnvironmentError(fmt::format("there is no kernel shaders/{}.comp in this build", name));
        checkKernel(name, found->spirv);
        return found->spirv;
    }
    const auto compiled = state.compiledShaders.find(name);
    if (compiled != state.compiledShaders.end()) return compiled->second;
    const auto broken = state.brokenShaders.find(name);
    if (broken != state.brokenShaders.end()) throw KernelError(broken->second);
    const fs::path source = fs::path(state.shaderDir) / (name + ".comp");
    if (!fs::exists(source))
        throw EnvironmentError(fmt::format("{} does not exist, and --shader-dir asks for it", source.string()));
    try {
        return state.compiledShaders.emplace(name, compile(source, name)).first->second;
    } catch (const KernelError& error) {
        state.brokenShaders.emplace(name, error.what());
        throw;
    }
}

}  // namespace a2
