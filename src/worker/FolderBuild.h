// Compiles and links the host code of a student's folder without a build system, for an installed a2.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

namespace a2 {

struct FolderBuild {
    std::filesystem::path library;  // the solutions
    // Why a file is not in the library: ":12 does not compile: ...", "does not link: ..."; the key is its name below
    // src/.
    std::map<std::string, std::string> broken;
};

struct FolderNotes {
    std::function<void(const std::string& what)> progress;
    std::function<void(const std::string& line)> said;  // for each line that a compiler prints
};

// Compiles the files of folder/src that have changed since they were handed out or last compiled, several at a time
// with one command each, and links them, all in folder/.a2. Reads only `folder` and a2's package. A file that does not
// compile or link only makes its own rows fail; so does a changed file without a compiler. Throws EnvironmentError
// where folder/.a2 cannot be written.
void buildFolder(const std::filesystem::path& folder, const FolderNotes& notes);

// The result of the last buildFolder(); if it was never called, the package's own library.
FolderBuild builtFolder(const std::filesystem::path& folder);

}  // namespace a2
