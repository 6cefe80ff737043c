// a2 new: a student's folder, for an a2 that was installed from a package (docs/packages.md).

#include "a2/Error.h"
#include "base/Python.h"
#include "base/ShellWord.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "files/InputFile.h"
#include "files/Leftover.h"
#include "files/Project.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"
#include "worker/StudentCompiler.h"

#include <fmt/format.h>

#include <charconv>
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace a2 {

namespace {

namespace fs = std::filesystem;

struct NewOptions {
    std::string folder, from;
};

void addNewOptions(CLI::App& app, Options& options, Raw&)
{
    auto& own = options.own.of<NewOptions>();
    addArgument(app, "FOLDER", own.folder, "what is made: it does not exist yet, or is empty");
    inGroup(app, whatIsRun);
    addText(app, "--from", "HANDOUT", own.from, "a course's hand-out: a folder, or its .zip", "the package's own");
}

// A file or a folder of a hand-out.
struct Piece {
    bool isFolder = false;
    fs::path source = {};      // the file, if the hand-out is a folder
    std::string content = {};  // its content, if it is an archive
};
using Pieces = std::map<fs::path, Piece>;  // by their paths in it; a folder comes before what it contains

// The folder of the hand-out that holds the files: they may be in a subfolder.
fs::path handoutIn(const fs::path& folder)
{
    if (isStudentFolder(folder)) return folder;
    std::error_code none;
    for (const fs::directory_entry& one : fs::directory_iterator(folder, none))
        if (isStudentFolder(one.path())) return one.path();
    return {};
}

Pieces piecesIn(const fs::path& folder)
{
    const fs::path from = handoutIn(folder);
    Pieces all;
    if (from.empty()) return all;
    std::error_code failed;
    for (fs::recursive_directory_iterator one(from, failed), end; !failed && one != end; one.increment(failed)) {
        const fs::path name = one->path().lexically_relative(from);
        const bool isFolder = fs::is_directory(one->symlink_status(failed));
        if (!isFolder && !fs::is_regular_file(one->status(failed)))
            throw UsageError(fmt::format("{} of the hand-out is neither a file nor a folder", utf8Of(name)));
        all[name] = {isFolder, one->path()};
    }
    if (failed) throw UsageError(fmt::format("the hand-out {} cannot be read: {}", utf8Of(from), failed.message()));
    return all;
}

// What tools/unpack.py writes. Nothing if it is something else.
std::optional<Pieces> piecesOf(std::string_view text)
{
    Pieces all;
    // A number of bytes, and what stands behind it.
    const auto count = [&](char behind) {
        std::size_t bytes = 0;
        const auto [at, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
        text.remove_prefix(static_cast<std::size_t>(at - text.data()));
        const bool isOne = error == std::errc() && text.starts_with(behind);
        if (isOne) text.remove_prefix(1);
        return isOne ? std::optional(bytes) : std::nullopt;
    };
    while (!text.empty()) {
        const auto ofName = count(' '), ofContent = count('\n');
        if (!ofName || !ofContent || *ofName > text.size() || *ofContent > text.size() - *ofName) return std::nullopt;
        const std::string_view name = text.substr(0, *ofName);
        const bool isFolder = name.ends_with('/');
        const fs::path path = pathOf(isFolder ? name.substr(0, name.size() - 1) : name);
        if (path.empty() || path.has_root_path() || *path.begin() == "..")
            throw UsageError(fmt::format("the hand-out has a file that leads out of it: {}", name));
        all[path] = {isFolder, {}, std::string(text.substr(*ofName, *ofContent))};
        for (fs::path folder = path.parent_path(); !folder.empty(); folder = folder.parent_path())
            all.try_emplace(folder, Piece{.isFolder = true});
        text.remove_prefix(*ofName + *ofContent);
    }
    return all;
}

// The same of an archive.
Pieces piecesOfArchive(const std::string& archive)
{
    const std::string program = utf8Of(toolsFolder() / "unpack.py");
    ProcessLimits limits;
    limits.outputBytes = std::size_t{300} << 20;  // more than the program writes
    const ProcessResult result = runPython(program, {archive}, limits);
    if (result.ended == ProcessResult::Ended::notStarted)
        throw EnvironmentError(
            fmt::format("{}: Python 3 is not here, which unpacks it: unpack it yourself, and name "
                        "the folder",
                        archive));
    if (result.ended == ProcessResult::Ended::exited && result.status == static_cast<int>(ExitStatus::usage))
        throw UsageError(fmt::format("{} {}", archive, result.output));
    std::optional<Pieces> all = result.succeeded() ? piecesOf(result.output) : std::nullopt;
    if (!all)
        throw EnvironmentError(
            fmt::format("{} could not be unpacked: {} ended with {}; unpack it yourself, and name "
                        "the folder",
                        archive, program, result.howItEnded(limits)));
    return std::move(*all);
}

bool isEmptyFolder(const fs::path& path)
{
    std::error_code none;
    return fs::is_directory(path, none) && fs::is_empty(path, none);
}

// What has been made so far. It goes again, the newest first, unless it is kept.
class Made {
public:
    ~Made()
    {
        while (!all_.empty()) all_.pop_back();
    }

    void folder(const fs::path& path)
    {
        Leftover made(path, Leftover::Kind::folder);
        std::error_code failed;
        if (fs::create_directory(path, failed)) {
            all_.push_back(std::move(made));
            return;
        }
        made.keep();  // the thing with this name does not belong to this program
        throw std::system_error(failed ? failed : std::make_error_code(std::errc::file_exists));
    }

    void file(const fs::path& path, const Piece& piece)
    {
        Leftover made;
        WrittenFile file = WrittenFile::makeNew(path, WrittenFile::Readers::umask, made);
        all_.push_back(std::move(made));
        if (piece.source.empty()) {
            file.write(piece.content);
        } else {
            InputFile source(utf8Of(piece.source));
            std::vector<char> chunk(std::size_t{1} << 16);
            while (const std::size_t count = source.read(chunk.data(), chunk.size())) file.write({chunk.data(), count});
        }
        file.close();
        if (!piece.source.empty()) fs::permissions(path, fs::status(piece.source).permissions() & fs::perms::all);
    }

    void keep()
    {
        for (Leftover& one : all_) one.keep();
    }

private:
    std::vector<Leftover> all_;
};

// Makes the whole folder, or nothing. An empty folder that is there stays the same one, with its mode: it may be where
// a shell is.
void make(const fs::path& target, const Pieces& pieces)
{
    const std::string name = utf8Of(target);
    const bool isThere = isEmptyFolder(target);
    std::error_code none;
    const fs::path place = fs::absolute(target, none).lexically_normal();
    const fs::path parent = (place.has_filename() ? place : place.parent_path()).parent_path();
    if (!isThere && !fs::is_directory(parent, none))
        throw UsageError(fmt::format("{} cannot be made: there is no folder {}", name, utf8Of(parent)));
    const fs::path fresh = isThere ? target : unforeseenName(parent);
    Made made;
    try {
        if (!isThere) made.folder(fresh);
        for (const auto& [path, piece] : pieces)
            piece.isFolder ? made.folder(fresh / path) : made.file(fresh / path, piece);
        if (!isThere) fs::rename(fresh, target);
    } catch (const std::system_error& error) {
        throw UsageError(fmt::format("{} cannot be made: {}; choose another place", name, error.code().message()));
    }
    made.keep();
}

// The hand-out that is named; by default the package's own.
Pieces handedOut(const std::string& named)
{
    std::error_code none;
    if (named.empty()) {
        const fs::path own = installation()->shared / "template";
        if (!fs::is_directory(own, none))
            throw UsageError("this a2 carries no hand-out: name the course's with --from HANDOUT.zip");
        return piecesIn(own);
    }
    const fs::path from = pathOf(named);
    if (!fs::exists(from, none)) throw UsageError(fmt::format("--from {}: there is no such file", named));
    const bool isFolder = fs::is_directory(from, none);
    if (!isFolder && !fs::is_regular_file(from, none))
        throw UsageError(fmt::format("--from {}: it is neither a folder nor a .zip", named));
    Pieces all = isFolder ? piecesIn(from) : piecesOfArchive(named);
    if (all.empty()) throw UsageError(fmt::format("{} is no hand-out: course.ini and shaders/ are not in it", named));
    if (all.contains("tools/run"))
        throw UsageError(
            fmt::format("--from {}: it has all of a2's sources, which `tools/run` in it builds; a2 "
                        "new takes what tools/handout --folder wrote",
                        named));
    return all;
}

ExitStatus makeFolder(const Options& options)
{
    const auto& own = options.own.of<NewOptions>();
    if (own.folder.empty()) throw UsageError("a2 new takes the name of the folder to make: a2 new homework");
    std::string named = own.folder;
    while (named.size() > 1 && named.ends_with('/')) named.pop_back();
    const fs::path target = pathOf(named);
    if (!installation())
        throw UsageError(
            "a2 new is for an a2 that was installed from a package: this one works in the project that it "
            "was built in, and tools/handout writes a course's folder");
    std::error_code none;
    if (fs::exists(fs::symlink_status(target, none)) && !isEmptyFolder(target))
        throw UsageError(fmt::format("{} is there already: choose another name, or remove it", own.folder));

    make(target, handedOut(own.from));

    if (StudentCompiler::here()) StudentCompiler::here()->readAhead();
    const std::string goThere =
        fs::equivalent(target, ".", none)
            ? ""
            : fmt::format("    cd {}{}\n", own.folder.starts_with('-') ? "./" : "", shellWord(own.folder));
    fmt::print("{} is made. Next:\n\n{}    a2\n\nREADME.md in it says how to begin.\n", own.folder, goThere);
    return ExitStatus::passed;
}

}  // namespace

extern const Subcommand newCommand;
constinit const Subcommand newCommand = {.name = "new",
                                         .description = "make a student's folder, for an installed a2",
                                         .place = 115,
                                         .addOptions = addNewOptions,
                                         .workHere = makeFolder};

}  // namespace a2
