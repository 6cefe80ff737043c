// A report file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <string>

namespace a2 {

class OutputFile {
public:
    // Finds out at once whether the file can be written, before any work is done. Throws UsageError.
    explicit OutputFile(const std::string& path);

    // Writes beside the target and renames. Throws UsageError, and leaves what was there before.
    void commit(const std::string& text) const;

private:
    std::filesystem::path target_;
    std::FILE* stream_ = nullptr;  // set where the target is this program's own stdout or stderr
    bool special_ = false;         // a device or a pipe: written as it is
};

}  // namespace a2
