#include "gpu/KernelSources.h"

#include "a2/Error.h"
#include "base/BuildFacts.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <utility>

namespace a2 {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largestSource = std::uintmax_t{16} << 20;  // bytes

const BuiltInShader* builtIn(const std::string& name)
{
    const auto all = builtInShaders();
    const auto found = std::find_if(all.begin(), all.end(), [&](const BuiltInShader& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

// Nothing if there is no such file. Throws KernelError if it cannot be read.
std::optional<std::string> readFile(const fs::path& path)
{
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (status.type() == fs::file_type::not_found) return std::nullopt;
    if (!fs::is_regular_file(status)) throw KernelError(fmt::format("{} is not a file of GLSL", utf8Of(path)));
    if (fs::file_size(path, error) > largestSource || error)
        throw KernelError(
            fmt::format("{} is longer than the {} bytes that a kernel's source may have", utf8Of(path), largestSource));
    std::ifstream stream(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    if (!stream.is_open() || stream.bad()) throw KernelError(fmt::format("{} cannot be read", utf8Of(path)));
    return text;
}

// Some checkouts end lines with a carriage return: that is no change.
std::string withoutReturns(std::string text)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
    text.resize(kept);
    return text;
}

}  // namespace

fs::path KernelSources::projectShaders() { return pathOf(buildFacts.projectShaders); }

KernelSources::KernelSources(fs::path folder, Note note, std::string jail, fs::path project)
    : folder_(std::move(folder)), project_(std::move(project)), note_(std::move(note))
{
    compiler_.jail = std::move(jail);
    std::error_code ignored;
    projectIsThere_ = fs::is_directory(project_, ignored);
    if (!folder_.empty() && !fs::is_directory(folder_, ignored))
        throw UsageError(fmt::format("--shader-dir {}: there is no such folder", utf8Of(folder_)));
}

std::vector<std::uint32_t> KernelSources::spirv(const std::string& name)
{
    const BuiltInShader* const kernel = builtIn(name);
    if (folder_.empty() && kernel && isCurrent(*kernel)) return {kernel->spirv.begin(), kernel->spirv.end()};
    return compiled(name);
}

// Whether the built-in SPIR-V is what the files on disk say.
bool KernelSources::isCurrent(const BuiltInShader& kernel)
{
    bool same = !kernel.spirv.empty();
    if (!projectIsThere_) return same;
    for (const SourceFile& source : kernel.sources) {
        const auto now = readFile(project_ / pathOf(source.name));
        if (now && withoutReturns(*now) == withoutReturns(std::string(source.text))) continue;
        same = false;
        if (!now) continue;
        const bool itself = source.name == std::string(kernel.name) + ".comp";
        note(fmt::format("shaders/{} has changed since this build: {}compiled now", source.name,
                         itself ? "" : "what includes it is "));
    }
    return same;
}

// A file of shaders/ as it counts now.
std::optional<std::string> KernelSources::textOf(const std::string& file) const
{
    if (!folder_.empty())
        if (auto text = readFile(folder_ / pathOf(file))) return text;
    if (projectIsThere_) return readFile(project_ / pathOf(file));
    for (const BuiltInShader& kernel : builtInShaders())
        for (const SourceFile& source : kernel.sources)
            if (source.name == file) return std::string(source.text);
    return std::nullopt;
}

// Names of what kernels of the project may include.
std::vector<std::string> KernelSources::includedFiles() const
{
    std::set<std::string> names;
    if (projectIsThere_) {
        std::error_code ignored;
        for (const auto& entry : fs::directory_iterator(project_ / "include", ignored))
            if (entry.is_regular_file(ignored)) names.insert("include/" + utf8Of(entry.path().filename()));
    } else {
        for (const BuiltInShader& kernel : builtInShaders())
            for (const SourceFile& source : kernel.sources)
                if (std::string_view(source.name).starts_with("include/")) names.insert(source.name);
    }
    return {names.begin(), names.end()};
}

// In a folder of its own, where what is in folder_ lies over what is in the project: so a kernel of the one and a
// header of the other find each other, whichever includes which.
std::vector<std::uint32_t> KernelSources::compiled(const std::string& name)
{
    const std::string file = name + ".comp";
    const auto text = textOf(file);
    if (!text) throw KernelError(fmt::format("shaders/{} does not exist: write it, or put it back", file));
    std::error_code ignored;
    const bool fromFolder = !folder_.empty() && fs::exists(folder_ / pathOf(file), ignored);
    if (!folder_.empty() && !fromFolder)
        note(fmt::format("{} is not in {}: the project's shaders/{} is compiled", file, utf8Of(folder_), file));
    if (folder_.empty() && !builtIn(name)) note(fmt::format("shaders/{} is newer than this build: compiled now", file));

    TemporaryFolder together;
    together.file(KernelCompiler::resultFile);
    const fs::path ownIncludes = together.folder("include");
    const auto write = [&](const std::string& to, const std::string& what) {
        const fs::path path = together.file(to);
        std::ofstream stream(path, std::ios::binary);
        stream << what << std::flush;
        if (!stream) throw EnvironmentError(fmt::format("{} cannot be written", utf8Of(path)));
    };
    write(file, *text);
    for (const std::string& include : includedFiles())
        if (const auto included = textOf(include)) write(include, *included);
    // What else they include is found by links: glslang copies names of included files into directives, and cannot
    // have quotes in them.
    std::vector<fs::path> folders;
    for (const auto& [folder, linkName] : {std::pair(folder_, "folder"), std::pair(project_, "project")}) {
        if (folder.empty()) continue;
        const fs::path link = together.file(linkName);
        fs::create_directory_symlink(fs::absolute(folder), link, ignored);
        const fs::path known = ignored ? folder : link;  // Windows has rights for links
        folders.insert(folders.end(), {known, known / "include"});
    }
    folders.push_back(ownIncludes);
    return compiler_.compile(together.path(), name, folders,
                             fromFolder ? utf8Of(folder_ / pathOf(file)) : "shaders/" + file);
}

void KernelSources::note(const std::string& text)
{
    if (note_ && noted_.insert(text).second) note_("note: " + text);
}

}  // namespace a2
