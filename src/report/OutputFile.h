// A file that appears whole or not at all.
#pragma once

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace a2 {

class OutputFile {
public:
    // Finds out at once whether the file can be written, before any work is done. Throws UsageError.
    explicit OutputFile(const std::string& path);
    // What was written and not committed goes away.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // Writes beside the target, any number of times; commit() renames. Both throw UsageError, and leave what was there
    // before. (A device or a pipe gets each piece at once.)
    void write(std::string_view text);
    void commit();

    // The whole text at once.
    void commit(const std::string& text)
    {
        write(text);
        commit();
    }

private:
    void begin();
    void drop();
    [[noreturn]] void fail(const std::string& why);

    std::filesystem::path target_;
    std::FILE* stream_ = nullptr;  // set where the target is this program's own stdout or stderr
    bool special_ = false;         // a device or a pipe: written as it is
    bool begun_ = false;
    std::ofstream file_;
};

}  // namespace a2
