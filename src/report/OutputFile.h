// A report file that appears whole or not at all.
#pragma once

#include <filesystem>
#include <string>

namespace a2 {

class OutputFile {
public:
    // Finds out at once whether the file can be written, before any work is done. Throws UsageError.
    explicit OutputFile(const std::string& path);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // Writes beside the target and renames. Throws UsageError, and leaves what was there before.
    void commit(const std::string& text);

private:
    std::filesystem::path target_, beside_;  // the same where the target is no regular file (/dev/stdout)
    bool direct() const { return target_ == beside_; }
};

}  // namespace a2
