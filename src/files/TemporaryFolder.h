// A fresh folder for files that other programs read or write; it is removed with them when this object is destroyed.
#pragma once

#include "files/Leftover.h"

#include <filesystem>
#include <string>
#include <vector>

namespace a2 {

// Its name cannot be guessed, it did not exist before (not even as a link), and on POSIX only its owner may look into
// it. So names inside it need no care. Throws EnvironmentError if none can be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }  // absolute

    // The path for a file or a link of this name. It is removed, with the folder, also if the program ends by a signal;
    // a signal handler cannot look what the folder contains. The last one named is removed first. Name files that
    // another program writes first: the folder is removed right after the first one named.
    std::filesystem::path file(const std::string& name);
    // Creates a folder in it.
    std::filesystem::path folder(const std::string& name);

private:
    std::filesystem::path path_;
    std::vector<Leftover> leftovers_;
};

}  // namespace a2
