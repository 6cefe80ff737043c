#include "files/WrittenFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <random>
#include <system_error>
#include <utility>

#ifdef _WIN32
#include <windows.h>

#include <fcntl.h>
#include <io.h>
#else
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#endif

namespace a2 {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

#ifdef _WIN32

int opened(const fs::path& path, DWORD how)
{
    // Shared for deletion, so that the file can be removed while it is open.
    constexpr DWORD shares = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE file = CreateFileW(path.c_str(), GENERIC_WRITE, shares, nullptr, how, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) throw std::system_error(static_cast<int>(GetLastError()), std::system_category());
    return _open_osfhandle(reinterpret_cast<std::intptr_t>(file), _O_BINARY);
}

int openNew(const fs::path& path, WrittenFile::Readers) { return opened(path, CREATE_NEW); }
int openThere(const fs::path& path) { return opened(path, OPEN_EXISTING); }
int writeSome(int descriptor, const char* bytes, std::size_t count)
{
    return _write(descriptor, bytes, static_cast<unsigned>(count));
}
int closeDescriptor(int descriptor) { return _close(descriptor); }

#else

int checked(int descriptor) { return descriptor < 0 ? (fail(), -1) : descriptor; }

int openNew(const fs::path& path, WrittenFile::Readers readers)
{
    constexpr mode_t owner = S_IRUSR | S_IWUSR, all = owner | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;
    return checked(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                          readers == WrittenFile::Readers::owner ? owner : all));
}
int openThere(const fs::path& path) { return checked(::open(path.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC)); }
ssize_t writeSome(int descriptor, const char* bytes, std::size_t count) { return ::write(descriptor, bytes, count); }
int closeDescriptor(int descriptor) { return ::close(descriptor); }

#endif

}  // namespace

WrittenFile WrittenFile::makeNew(const fs::path& path, Readers readers, Leftover& leftover)
{
    Leftover made(path, Leftover::Kind::file);
    try {
        WrittenFile file(openNew(path, readers));
        leftover = std::move(made);
        return file;
    } catch (...) {
        made.keep();  // the file with this name does not belong to this program
        throw;
    }
}

WrittenFile WrittenFile::open(const fs::path& path) { return WrittenFile(openThere(path)); }

WrittenFile::~WrittenFile()
{
    if (descriptor_ >= 0) closeDescriptor(descriptor_);
}

WrittenFile::WrittenFile(WrittenFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

void WrittenFile::write(std::string_view bytes) const
{
    constexpr std::size_t most = std::size_t{1} << 30;
    while (!bytes.empty()) {
        const auto count = writeSome(descriptor_, bytes.data(), std::min(most, bytes.size()));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) fail();
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void WrittenFile::close()
{
    if (closeDescriptor(std::exchange(descriptor_, -1)) != 0) fail();
}

fs::path unforeseenName(const fs::path& folder)
{
    std::random_device random;
    return folder / fmt::format(".a2-{:08x}{:08x}.part", random(), random());
}

#ifdef _WIN32

void takeModeOf(const fs::path&, const fs::path&) {}

bool mayWrite(const fs::path& path)
{
    const DWORD attributes = GetFileAttributesW(path.c_str());
    return attributes == INVALID_FILE_ATTRIBUTES || (attributes & FILE_ATTRIBUTE_READONLY) == 0;
}

bool isOwnOutput(const fs::path& path)
{
    BY_HANDLE_FILE_INFORMATION one = {}, other = {};
    const HANDLE file = CreateFileW(path.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                                    OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL, nullptr);
    if (file == INVALID_HANDLE_VALUE) return false;
    const bool known = GetFileInformationByHandle(file, &one) != 0;
    CloseHandle(file);
    const auto is = [&](DWORD stream) {
        return known && GetFileInformationByHandle(GetStdHandle(stream), &other) != 0 &&
               one.dwVolumeSerialNumber == other.dwVolumeSerialNumber && one.nFileIndexHigh == other.nFileIndexHigh &&
               one.nFileIndexLow == other.nFileIndexLow;
    };
    return is(STD_OUTPUT_HANDLE) || is(STD_ERROR_HANDLE);
}

#else

void takeModeOf(const fs::path& old, const fs::path& fresh)
{
    struct stat was = {}, is = {};
    const int descriptor = ::open(fresh.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) return;
    if (stat(old.c_str(), &was) == 0 && fstat(descriptor, &is) == 0) {
        const bool sameOwner =
            (was.st_uid == is.st_uid && was.st_gid == is.st_gid) || fchown(descriptor, was.st_uid, was.st_gid) == 0;
        const mode_t kept = sameOwner ? 07777 : 0777;  // set-user-id was not meant for another user
        static_cast<void>(fchmod(descriptor, was.st_mode & kept));
    }
    ::close(descriptor);
}

bool mayWrite(const fs::path& path) { return faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0; }

bool isOwnOutput(const fs::path& path)
{
    struct stat file = {}, stream = {};
    if (stat(path.c_str(), &file) != 0) return false;
    for (const int descriptor : {STDOUT_FILENO, STDERR_FILENO})
        if (fstat(descriptor, &stream) == 0 && stream.st_dev == file.st_dev && stream.st_ino == file.st_ino)
            return true;
    return false;
}

#endif

}  // namespace a2
