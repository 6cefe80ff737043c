// A file, device or pipe that is open to be written.
#pragma once

#include "files/Leftover.h"

#include <filesystem>
#include <string_view>

namespace a2 {

class WrittenFile {
public:
    // Who may read a new file. (On Windows that is up to its folder.)
    enum class Readers { owner, umask };

    // A file that was not there before: nothing of the user's can be in its place, and no link is followed. It goes
    // away with `leftover`. Throws std::system_error, also where the name is taken.
    static WrittenFile makeNew(const std::filesystem::path& path, Readers readers, Leftover& leftover);
    // A device or a pipe, as it is. Throws std::system_error.
    static WrittenFile open(const std::filesystem::path& path);

    ~WrittenFile();
    WrittenFile(WrittenFile&& other) noexcept;
    WrittenFile& operator=(WrittenFile&&) = delete;

    // Throw std::system_error where not everything could be written.
    void write(std::string_view bytes) const;
    void close();

private:
    explicit WrittenFile(int descriptor) : descriptor_(descriptor) {}
    int descriptor_;  // -1: closed
};

// A name in `folder` that nobody can foresee.
std::filesystem::path unforeseenName(const std::filesystem::path& folder);

// Gives a file the mode of the one that it will replace, and its owner where that is allowed. Nothing where `old` is
// not there, or on Windows.
void takeModeOf(const std::filesystem::path& old, const std::filesystem::path& fresh);

// Whether the user may write to a file that is there. Does not know about disks that are read-only or full.
bool mayWrite(const std::filesystem::path& path);

// Whether a file is where this program's stdout or stderr goes.
bool isOwnOutput(const std::filesystem::path& path);

}  // namespace a2
