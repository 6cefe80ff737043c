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
    // What a new file may replace. `results`: anything but a source, so that a typing error does not destroy work.
    // `anything`: for files that only a2 knows.
    enum class Over { results, anything };

    // Checks at once whether the file can be written, before any work is done. Throws UsageError; also where another
    // OutputFile of this program has the same file, or this program's own output goes there.
    explicit OutputFile(const std::string& path, Over over = Over::results);
    // Removes what was written and not committed.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    // A result must not replace a file that it was made from. Throws UsageError.
    void refuseAsInput(const std::string& input) const;

    // write() writes beside the target, any number of times; commit() renames. Both throw UsageError, and leave the old
    // file as it was. (A device or a pipe gets each piece at once.)
    void write(std::string_view text);
    void commit();

    // The whole text at once.
    void commit(const std::string& text)
    {
        write(text);
        commit();
    }

    // For a file that another program writes: folder() is where it must be made, so that it can be renamed;
    // commitFile() renames it. Both throw UsageError; also where the target is a device or a pipe instead of a file.
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
    std::filesystem::path target_;  // after following links
    Kind kind_ = Kind::file;
    std::filesystem::path part_;
    Leftover leftover_;
    std::optional<WrittenFile> file_;
};

}  // namespace a2
