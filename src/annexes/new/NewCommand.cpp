// a2 new: a student's folder, for an a2 that was installed from a package (docs/packages.md).

#include "a2/Error.h"
#include "base/Python.h"
#include "base/ShellWord.h"
#include "cli/OptionGroups.h"
#include "cli/Subcommand.h"
#include "files/Project.h"
#include "files/TemporaryFolder.h"
#include "files/Utf8Path.h"
#include "files/WrittenFile.h"
#include "worker/StudentCompiler.h"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
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

// The folder of the hand-out that holds the files: they may be in a subfolder.
fs::path handoutIn(const fs::path& folder, const std::string& shownAs)
{
    if (isStudentFolder(folder)) return folder;
    std::error_code none;
    for (const fs::directory_entry& one : fs::directory_iterator(folder, none))
        if (isStudentFolder(one.path())) return one.path();
    throw UsageError(fmt::format("{} is no hand-out: course.ini and shaders/ are not in it", shownAs));
}

// Unpacks an archive; Python refuses names that lead out of the folder.
void unpack(const std::string& archive, const fs::path& folder)
{
    const ProcessResult result = runPython("-m", {"zipfile", "-e", archive, utf8Of(folder)}, {});
    if (result.ended == ProcessResult::Ended::notStarted)
        throw EnvironmentError(
            fmt::format("{}: Python 3 is not here, which unpacks it: unpack it yourself, and name "
                        "the folder",
                        archive));
    if (!result.succeeded()) throw UsageError(fmt::format("{} is no .zip that can be unpacked", archive));
}

bool isEmptyFolder(const fs::path& path)
{
    std::error_code none;
    return fs::is_directory(path, none) && fs::is_empty(path, none);
}

// The hand-out is read before anything is written.
std::vector<fs::path> filesOf(const fs::path& from)
{
    std::vector<fs::path> all;
    std::error_code failed;
    for (fs::recursive_directory_iterator one(from, failed), end; !failed && one != end; one.increment(failed)) {
        const fs::path file = one->path().lexically_relative(from);
        if (!fs::is_directory(one->status(failed)) && !fs::is_regular_file(one->status(failed)))
            throw UsageError(fmt::format("{} of the hand-out is neither a file nor a folder", utf8Of(file)));
        all.push_back(file);
    }
    if (failed) throw UsageError(fmt::format("the hand-out {} cannot be read: {}", utf8Of(from), failed.message()));
    return all;
}

// Copies the files into the folder `to`, which there is.
void copyInto(const fs::path& to, const fs::path& from, const std::vector<fs::path>& files, std::error_code& failed)
{
    for (const fs::path& one : files) {
        if (failed) return;
        if (fs::is_directory(from / one))
            fs::create_directory(to / one, failed);
        else
            fs::copy_file(from / one, to / one, failed);
    }
}

// Copies the whole folder, or nothing. An empty folder that is there stays the same one, with its mode: it may be where
// a shell is.
void copyTo(const fs::path& from, const fs::path& target)
{
    const std::string name = utf8Of(target);
    const std::vector<fs::path> files = filesOf(from);
    const bool isThere = isEmptyFolder(target);
    std::error_code failed;
    const fs::path place = fs::absolute(target, failed).lexically_normal();
    const fs::path parent = (place.has_filename() ? place : place.parent_path()).parent_path();
    if (!isThere && !fs::is_directory(parent, failed))
        throw UsageError(fmt::format("{} cannot be made: there is no folder {}", name, utf8Of(parent)));
    const fs::path fresh = isThere ? target : unforeseenName(parent);
    if (!isThere) fs::create_directory(fresh, failed);
    copyInto(fresh, from, files, failed);
    if (!failed && !isThere) fs::rename(fresh, target, failed);
    if (!failed) return;
    const std::string why = failed.message();
    std::vector<fs::path> made;
    if (isThere)
        for (const fs::directory_entry& one : fs::directory_iterator(fresh, failed)) made.push_back(one.path());
    else
        made.push_back(fresh);
    for (const fs::path& one : made) fs::remove_all(one, failed);
    throw UsageError(fmt::format("{} cannot be made: {}; choose a place where you may write", name, why));
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

    std::optional<TemporaryFolder> unpacked;
    fs::path from = installation()->shared / "template";
    if (!own.from.empty()) {
        from = pathOf(own.from);
        if (!fs::exists(from, none)) throw UsageError(fmt::format("--from {}: there is no such file", own.from));
        if (!fs::is_directory(from, none)) {
            unpack(own.from, unpacked.emplace().folder("handout"));
            from = unpacked->path() / "handout";
        }
        from = handoutIn(from, own.from);
        if (fs::exists(from / "tools/run", none))
            throw UsageError(
                fmt::format("--from {}: it has all of a2's sources, which `tools/run` in it builds; a2 "
                            "new takes what tools/handout --folder wrote",
                            own.from));
    } else if (!fs::is_directory(from, none)) {
        throw UsageError("this a2 carries no hand-out: name the course's with --from HANDOUT.zip");
    }
    copyTo(from, target);

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
