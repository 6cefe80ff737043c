// A file, device or pipe that is open to be written.
#pragma once

#include "files/Leftover.h"

#include <filesystem>
#include <string_view>

namespace a2 {

class WrittenFile {
public:
    // Which users may read a new file. (On Windows the folder decides.)
    enum class Readers { owner, umask };

    // Creates a file that did not exist before, so that it replaces nothing of the user's and follows no link. It is
    // removed with `leftover`. Throws std::system_error, also where the name is taken.
    static WrittenFile makeNew(const std::filesystem::path& path, Readers readers, Leftover& leftover);
    // Opens a device or a pipe, unchanged. Throws std::system_error.
    static WrittenFile open(const std::filesystem::path& path);

    ~WrittenFile();
    WrittenFile(WrittenFile&& other) noexcept;
    WrittenFile& operator=(WrittenFile&&) = delete;

    // Both throw std::system_error where not everything could be written.
    void write(std::string_view bytes) const;
    void close();

private:
    explicit WrittenFile(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;  // -1: closed
};

// A name in `folder` that cannot be guessed.
std::filesystem::path unforeseenName(const std::filesystem::path& folder);

// Gives `fresh` the mode of the file that it will replace, and its owner where that is allowed. Does nothing where
// `old` does not exist, or on Windows.
void takeModeOf(const std::filesystem::path& old, const std::filesystem::path& fresh);

// Whether the user may write to an existing file. Does not check whether the disk is read-only or full.
bool mayWrite(const std::filesystem::path& path);

// Whether this program's stdout or stderr goes to this file.
bool isOwnOutput(const std::filesystem::path& path);

}  // namespace a2
