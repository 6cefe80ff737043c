// A lock between programs that work in the same folder.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

namespace a2 {

// Held from the constructor to the destructor, at the latest to the program's end.
class FileLock {
public:
    // Waits until no other program holds the lock on `file`, which is made where it is missing; after a second it calls
    // `waiting`, once. A folder that cannot be written to needs no lock: there this object does nothing. Throws
    // EnvironmentError after ten minutes.
    FileLock(const std::filesystem::path& file, const std::function<void()>& waiting);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

private:
    std::intptr_t file_ = -1;  // its descriptor, on Windows its handle; -1: none
};

}  // namespace a2
