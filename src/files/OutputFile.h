// A file that appears whole or not at all.
#pragma once

#include "files/WrittenFile.h"

#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace a2 {

class OutputFile {
public:
    // What a new file may take the place of: anything but a source, so that a slip of the hand costs nobody's work; or
    // anything, for files that only a2 knows.
    enum class Over { results, anything };

    // Finds out at once whether the file can be written, before any work is done. Throws UsageError; also where another
    // OutputFile of this program is for the same file, or this program's own output goes there.
    explicit OutputFile(const std::string& path, Over over = Over::results);
    // What was written and not committed goes away.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // A result must not take the place of what it was made from. Throws UsageError.
    void refuseAsInput(const std::string& input) const;

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

    // For a file that is written by somebody else: the folder in which it must be made, so that it can be renamed, and
    // the renaming. Throw UsageError; also where the target is no file, but a device or a pipe.
    std::filesystem::path folder() const;
    void commitFile(const std::filesystem::path& finished);

private:
    enum class Kind { file, device, stdoutStream, stderrStream };

    void find();
    void begin();
    void place(const std::filesystem::path& finished);
    bool isFor(const OutputFile& other) const;
    std::FILE* stream() const;
    [[noreturn]] void refuse(const std::string& why) const;

    std::string name_;              // as the user wrote it
    std::filesystem::path target_;  // where links lead
    Kind kind_ = Kind::file;
    std::filesystem::path part_;
    Leftover leftover_;
    std::optional<WrittenFile> file_;
};

}  // namespace a2
