// A fresh folder for files that other programs read or write, and that go away with it.
#pragma once

#include <filesystem>

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

private:
    std::filesystem::path path_;
};

}  // namespace a2
