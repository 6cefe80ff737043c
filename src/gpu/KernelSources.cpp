#include "gpu/KernelSources.h"

#include "a2/Error.h"
#include "files/Project.h"
#include "files/SourceFile.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"
#include "gpu/SourceDirectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <string_view>
#include <utility>

namespace a2 {

namespace {

namespace fs = std::filesystem;

constexpr std::uintmax_t largestSource = std::uintmax_t{16} << 20;  // bytes
constexpr std::size_t mostFiles = 256;                              // that one kernel includes
constexpr std::size_t mostNames = 4096;                             // of files that it may include

const BuiltInShader* builtInNamed(const std::string& name)
{
    const auto all = builtInShaders();
    const auto found = std::find_if(all.begin(), all.end(), [&](const BuiltInShader& one) { return one.name == name; });
    return found == all.end() ? nullptr : &*found;
}

// Whether a kernel's own text includes the header that defines Element. (A regular expression of the standard library
// goes a call deeper with each space: a line of a million ends the program.)
bool saysElementIn(std::string_view text)
{
    const auto skip = [](std::string_view& line, std::string_view word) {
        line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
        if (!line.starts_with(word)) return false;
        line.remove_prefix(word.size());
        return true;
    };
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (!skip(line, "#") || !skip(line, "include") || !(skip(line, "\"") || skip(line, "<"))) continue;
        if (constexpr std::string_view folder = "include/"; line.starts_with(folder)) line.remove_prefix(folder.size());
        if (line.starts_with("A2Element.h\"") || line.starts_with("A2Element.h>")) return true;
    }
    return false;
}

// Some checkouts end lines with a carriage return: that is not a change.
std::string withoutReturns(std::string text)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < text.size(); ++i)
        if (text[i] != '\r' || i + 1 == text.size() || text[i + 1] != '\n') text[kept++] = text[i];
    text.resize(kept);
    return text;
}

bool sameText(const std::string& now, std::string_view then)
{
    return now == then || withoutReturns(now) == withoutReturns(std::string(then));
}

// glslang garbles strings that are not pure ASCII, and the result is not valid. So debugPrintfEXT() prints a question
// mark for each other character.
std::string withPlainStrings(const std::string& text)
{
    std::string plain;
    plain.reserve(text.size());
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c == '"' && (!quoted || text[i - 1] != '\\')) quoted = !quoted;
        if (c == '\n') quoted = false;
        if (!quoted || c < 0x80)
            plain += text[i];
        else if (c >= 0xC0)
            plain += '?';  // the first byte of a character
    }
    return plain;
}

// All that one kernel is compiled from: copies of its file and of all files that it may include, each read once, in a
// separate folder. Files of --shader-dir replace those of the project there. So a kernel of one folder and a header of
// the other find each other, whichever includes the other, and the compiler reads no other files.
class Gathered {
public:
    using TextOf = std::function<std::optional<std::string>(const std::string& file)>;

    explicit Gathered(TextOf textOf) : textOf_(std::move(textOf))
    {
        folder_.file(KernelCompiler::resultFile);
        makeFolder("include");
    }

    // Adds a file, the files that it may include, and so on.
    void add(const std::string& file, const std::string& text)
    {
        write(file, text);
        while (findMore()) {
        }
    }

    fs::path path() const { return folder_.path(); }

    // Whether the files are exactly these.
    bool are(std::span<const SourceFile> sources) const
    {
        return texts_.size() == sources.size() &&
               std::all_of(sources.begin(), sources.end(), [this](const SourceFile& one) {
                   const auto found = texts_.find(one.name);
                   return found != texts_.end() && sameText(found->second, one.text);
               });
    }

    // What a2 itself has against the line at which the compiler stopped; empty if nothing.
    std::string refusalOf(const std::string& file, std::uint64_t line) const
    {
        const auto found = refused_.find(file);
        if (found == refused_.end()) return {};
        const auto at = found->second.find(line);
        return at == found->second.end() ? "" : at->second;
    }

private:
    void makeFolder(const std::string& name)
    {
        if (name.empty() || !folders_.insert(name).second) return;
        const std::size_t slash = name.rfind('/');
        if (slash != std::string::npos) makeFolder(name.substr(0, slash));
        folder_.folder(name);
    }

    void write(const std::string& name, const std::string& text)
    {
        if (texts_.size() == mostFiles) throw KernelError(fmt::format("it includes more than {} files", mostFiles));
        const std::size_t slash = name.rfind('/');
        if (slash != std::string::npos) makeFolder(name.substr(0, slash));
        texts_.emplace(name, text);
        const std::u8string here = folder_.path().generic_u8string();
        SourceDirectives read = directivesOf(name, text, {here.begin(), here.end()});
        names_.insert(read.includes.begin(), read.includes.end());
        if (names_.size() > mostNames)
            throw KernelError(fmt::format("shaders/{}: it may include more than {} files", name, mostNames));
        if (!read.refused.empty()) refused_[name] = std::move(read.refused);
        bytes_ += read.text.size();
        if (bytes_ > 2 * largestSource)
            throw KernelError(fmt::format("with what it includes, it is longer than {} bytes", 2 * largestSource));
        const fs::path path = folder_.file(name);
        std::ofstream stream(path, std::ios::binary);
        stream << withPlainStrings(read.text) << std::flush;
        if (!stream)
            throw EnvironmentError(fmt::format("{} cannot be written: {} (TMPDIR names another place)", utf8Of(path),
                                               std::generic_category().message(errno)));
    }

    static SourceDirectives directivesOf(const std::string& name, const std::string& text, const std::string& folder)
    {
        try {
            return readDirectives(text, folder);
        } catch (const KernelError& error) {
            throw KernelError(fmt::format("shaders/{}: {}", name, error.what()));
        }
    }

    // A compiler looks for an included name in the folder of each file that led to it.
    bool findMore()
    {
        bool found = false;
        const std::set<std::string> names = names_;
        std::set<std::string> folders = folders_;
        folders.insert("");
        for (const std::string& folder : folders)
            for (const std::string& name : names) {
                const std::u8string plain = (pathOf(folder) / pathOf(name)).lexically_normal().generic_u8string();
                const std::string file(plain.begin(), plain.end());
                if (file.empty() || file.back() == '/' || texts_.contains(file) || !missing_.insert(file).second)
                    continue;
                if (file == KernelCompiler::resultFile) continue;
                const auto text = textOf_(file);
                if (!text) continue;
                write(file, *text);
                found = true;
            }
        return found;
    }

    TextOf textOf_;
    TemporaryFolder folder_;
    std::map<std::string, std::string> texts_;         // the files, as they were read
    std::set<std::string> folders_, names_, missing_;  // in the folder; names_: of included files
    std::uintmax_t bytes_ = 0;
    std::map<std::string, std::map<std::uint64_t, std::string>> refused_;
};

}  // namespace

KernelSources::KernelSources(fs::path folder, Note note, std::string jail)
    : KernelSources(std::move(folder), std::move(note), std::move(jail), projectShaders())
{
}

KernelSources::KernelSources(fs::path folder, Note note, std::string jail, fs::path project)
    : folder_(std::move(folder)), project_(std::move(project)), isWhole_(!installation()), note_(std::move(note))
{
    compiler_.jail = std::move(jail);
    std::error_code ignored;
    projectIsThere_ = fs::is_directory(project_, ignored);
    if (!folder_.empty() && !fs::is_directory(folder_, ignored))
        throw UsageError(fmt::format("--shader-dir {}: there is no such folder", utf8Of(folder_)));
}

std::vector<std::uint32_t> KernelSources::spirv(const std::string& name)
{
    try {
        const BuiltInShader* const kernel = builtInNamed(name);
        if (!folder_.empty() || !kernel || !isCurrent(*kernel) || lacksReals(*kernel)) return compiled(name);
        const auto spirv = builtIn(*kernel);
        return {spirv.begin(), spirv.end()};
    } catch (const CompileError&) {
        throw;
    } catch (const KernelError& error) {  // the place is not known
        throw CompileError(error.what(), name + ".comp");
    }
}

void KernelSources::mustBeHere(const std::string& name) const
{
    if (isWhole_ || !projectIsThere_) return;
    const std::string file = name + ".comp";
    std::error_code ignored;
    const auto has = [&](const fs::path& folder) {
        return !folder.empty() && fs::exists(folder / pathOf(file), ignored);
    };
    if (!has(folder_) && !has(project_))
        throw CompileError(fmt::format("shaders/{} does not exist: write it, or put it back", file), file);
}

// The SPIR-V for the wanted type of elements.
std::span<const std::uint32_t> KernelSources::builtIn(const BuiltInShader& kernel) const
{
    return element->isReal && !kernel.reals.empty() ? kernel.reals : kernel.spirv;
}

// If so, the kernel did not compile for reals; the compiler will say why.
bool KernelSources::lacksReals(const BuiltInShader& kernel) const
{
    return element->isReal && kernel.reals.empty() && saysElement(kernel.name);
}

bool KernelSources::saysElement(const std::string& name) const
{
    const auto text = textOf(name + ".comp");
    return text && saysElementIn(*text);
}

// Whether the built-in SPIR-V was made from the files that are now on disk.
bool KernelSources::isCurrent(const BuiltInShader& kernel)
{
    bool same = !kernel.spirv.empty();
    if (!projectIsThere_) return same;
    for (const SourceFile& source : kernel.sources) {
        const auto now = readSourceFile(project_, pathOf(source.name), largestSource);
        if (now ? sameText(*now, source.text) : !isWhole_) continue;
        same = false;
        if (!now || !isWhole_) continue;
        const bool itself = source.name == std::string(kernel.name) + ".comp";
        note(fmt::format("shaders/{} has changed since this build: {}compiled now", source.name,
                         itself ? "" : "what includes it is "));
    }
    return same;
}

std::optional<std::string> KernelSources::textOf(const std::string& file) const
{
    if (!folder_.empty())
        if (auto text = readSourceFile(folder_, pathOf(file), largestSource)) return text;
    if (projectIsThere_) {
        auto text = readSourceFile(project_, pathOf(file), largestSource);
        if (text || isWhole_) return text;
    }
    for (const BuiltInShader& kernel : builtInShaders())
        for (const SourceFile& source : kernel.sources)
            if (source.name == file) return std::string(source.text);
    return std::nullopt;
}

std::vector<std::uint32_t> KernelSources::compiled(const std::string& name)
{
    const std::string file = name + ".comp";
    const auto text = textOf(file);
    if (!text) throw KernelError(fmt::format("shaders/{} does not exist: write it, or put it back", file));
    std::error_code ignored;
    const bool fromFolder = !folder_.empty() && fs::exists(folder_ / pathOf(file), ignored);
    if (!folder_.empty() && !fromFolder)
        note(fmt::format("{} is not in {}: the project's shaders/{} is taken", file, utf8Of(folder_), file));
    if (folder_.empty() && isWhole_ && !builtInNamed(name))
        note(fmt::format("shaders/{} is newer than this build: compiled now", file));

    const std::string shownAs = fromFolder ? utf8Of(folder_ / pathOf(file)) : "shaders/" + file;
    // A kernel of --shader-dir gets only shaders/include from the project.
    Gathered gathered([&](const std::string& wanted) {
        const bool given = !fromFolder || wanted.starts_with("include/");
        if (given) return textOf(wanted);
        return readSourceFile(folder_, pathOf(wanted), largestSource);
    });
    gathered.add(file, *text);
    const BuiltInShader* const kernel = builtInNamed(name);
    if (kernel && !kernel->spirv.empty() && !lacksReals(*kernel) && gathered.are(kernel->sources)) {
        const auto spirv = builtIn(*kernel);
        return {spirv.begin(), spirv.end()};
    }
    try {
        return compiler_.compile(gathered.path(), name, {gathered.path(), gathered.path() / "include"}, shownAs,
                                 saysElementIn(*text) ? element->symbol : "");
    } catch (const CompileError& error) {
        const std::string refusal = error.line ? gathered.refusalOf(error.file, *error.line) : "";
        if (refusal.empty()) throw;
        const std::string message =
            error.file == file
                ? fmt::format("{}:{} does not compile: {}", shownAs, *error.line, refusal)
                : fmt::format("{} does not compile: {}:{}: {}", shownAs, error.file, *error.line, refusal);
        throw CompileError(message, error.file, error.line);
    }
}

void KernelSources::note(const std::string& text)
{
    if (note_ && noted_.insert(text).second) note_("note: " + text);
}

}  // namespace a2
