#include "recording/Pipe.h"

#include <algorithm>
#include <array>

#ifdef _WIN32
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#else
#include <poll.h>
#include <unistd.h>
#include <cerrno>
#endif

namespace a2 {

namespace {

template <class Byte, class Some>
bool eachPiece(std::span<Byte> bytes, const Some& some)
{
    while (!bytes.empty()) {
        const std::size_t done = some(bytes.data(), bytes.size());
        if (done == 0) return false;
        bytes = bytes.subspan(done);
    }
    return true;
}

#ifdef _WIN32
DWORD piece(std::size_t count) { return static_cast<DWORD>(std::min(count, std::size_t{1} << 20)); }
#else
template <class Call>
std::size_t again(int handle, short event, const Call& call)
{
    for (;;) {
        const ssize_t done = call();
        if (done >= 0) return static_cast<std::size_t>(done);
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return 0;  // EAGAIN: student code may have made the pipe non-blocking
        pollfd ready{handle, event, 0};
        poll(&ready, 1, -1);
    }
}
#endif

}  // namespace

bool Pipe::read(std::span<std::uint8_t> bytes) const
{
    return eachPiece(bytes, [this](std::uint8_t* at, std::size_t count) { return readSome(at, count); });
}

bool Pipe::write(std::span<const std::uint8_t> bytes) const
{
    return eachPiece(bytes, [this](const std::uint8_t* at, std::size_t count) { return writeSome(at, count); });
}

bool Pipe::writeFrame(Frame kind, std::span<const std::uint8_t> bytes) const
{
    // Writes a short frame in one piece: each piece wakes the reader.
    std::array<std::uint8_t, frameHead + 256> whole;
    whole[0] = static_cast<std::uint8_t>(kind);
    putLength(bytes.size(), whole.data() + 1);
    const std::size_t with = std::min(bytes.size(), whole.size() - frameHead);
    std::copy_n(bytes.begin(), with, whole.begin() + frameHead);
    return write({whole.data(), frameHead + with}) && write(bytes.subspan(with));
}

bool Pipe::writeFrame(Frame kind, std::string_view text) const
{
    return writeFrame(kind,
                      std::span(reinterpret_cast<const std::uint8_t*>(text.data()), std::min(text.size(), mostText)));
}

#ifdef _WIN32
std::size_t Pipe::readSome(std::uint8_t* at, std::size_t count) const
{
    DWORD done = 0;
    return ReadFile(reinterpret_cast<HANDLE>(handle_), at, piece(count), &done, nullptr) ? done : 0;
}

std::size_t Pipe::writeSome(const std::uint8_t* at, std::size_t count) const
{
    DWORD done = 0;
    return WriteFile(reinterpret_cast<HANDLE>(handle_), at, piece(count), &done, nullptr) ? done : 0;
}
#else
std::size_t Pipe::readSome(std::uint8_t* at, std::size_t count) const
{
    const int handle = static_cast<int>(handle_);
    return again(handle, POLLIN, [&] { return ::read(handle, at, count); });
}

std::size_t Pipe::writeSome(const std::uint8_t* at, std::size_t count) const
{
    const int handle = static_cast<int>(handle_);
    return again(handle, POLLOUT, [&] { return ::write(handle, at, count); });
}
#endif

}  // namespace a2
