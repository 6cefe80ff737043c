// A fresh folder for files that other programs read or write, and that go away with it.
#pragma once

#include "files/Leftover.h"

#include <filesystem>
#include <string>
#include <vector>

namespace a2 {

// Its name cannot be foretold, it did not exist before (also not as a link), and on POSIX only its owner may look into
// it. So names inside need no care. Throws EnvironmentError if none can be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }  // absolute

    // Where a file or a link of this name is to be made. What was named here goes where the program ends by a signal,
    // too, and the folder with it: a handler cannot look what lies there. What was named last goes first; what another
    // program writes is therefore named first: the folder goes right after it.
    std::filesystem::path file(const std::string& name);
    // A folder in it, made.
    std::filesystem::path folder(const std::string& name);

private:
    std::filesystem::path path_;
    std::vector<Leftover> leftovers_;
};

}  // namespace a2
