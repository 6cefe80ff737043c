// The host code of a student's folder, as it is now.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace a2 {

// One file of src/.
struct FolderSource {
    std::string name;              // "A2Task1Solution/Naive.cpp"
    std::string text, stamp;       // stamp: what stampOf() said before the text was read
    std::filesystem::path file;    // of the text
    std::filesystem::path object;  // in the package, or in .a2/
    bool given = false;            // unchanged since it was handed out
    bool compiled = false;         // by this call
    std::string broken, output;    // why it does not compile, and all that the compiler said
};

// Which state of a file this is: another one after each time that it was written to. Empty if there is no such file.
std::string stampOf(const std::filesystem::path& file);

// Which file this is; empty if there is none that this user's a2 could have made. A copy of it, such as one that was
// handed in with a folder, is another file.
std::string identityOf(const std::filesystem::path& file);

// All sources below folder/src, sorted by name. Throws EnvironmentError for a folder that cannot be read.
std::vector<FolderSource> sourcesOf(const std::filesystem::path& folder);

// Whether these are as they were handed out, and none of the template's is missing: the package has a library of them.
bool isHandOut(const std::vector<FolderSource>& sources);

// The names of all files that a source might include, one per line: a new one may come before the one that was included
// until now. Throws EnvironmentError for a folder that cannot be read.
std::string includableNames(const std::filesystem::path& folder);

}  // namespace a2
