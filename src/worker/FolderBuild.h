// The host code of a student's folder, compiled and linked without a build system: for an a2 that was installed.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace a2 {

struct FolderBuild {
    std::filesystem::path library;  // the solutions
    // Why a file is not in it: ":12 does not compile: ...", "does not link: ..."; by its name below src/.
    std::map<std::string, std::string> broken;
};

struct FolderNotes {
    std::function<void(const std::string& what)> progress;
    std::function<void(const std::string& line)> said;  // by a compiler
};

// Compiles what has changed of folder/src since it was handed out or compiled last, one command for each file and
// several at a time, and links it, all in folder/.a2. Reads nothing else than `folder`, and what a2's package has for
// it. A file that does not compile or link costs its own rows, and so does a compiler that is not there. Throws
// EnvironmentError where folder/.a2 cannot be written.
void buildFolder(const std::filesystem::path& folder, const FolderNotes& notes);

// What that left; where it has not been called, the package's own library.
FolderBuild builtFolder(const std::filesystem::path& folder);

}  // namespace a2
