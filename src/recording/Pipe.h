// Reads and writes one end of a pipe between a2 and the code of solutions. Uses only functions that a signal handler
// may call.
#pragma once

#include "recording/Frames.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace a2 {

class Pipe {
public:
    Pipe() = default;
    explicit Pipe(std::intptr_t handle) : handle_(handle) {}
    std::intptr_t handle() const { return handle_; }

    // Reads all bytes; false at the end of the file, or if the handle is no longer valid.
    bool read(std::span<std::uint8_t> bytes) const;
    bool write(std::span<const std::uint8_t> bytes) const;

    bool writeFrame(Frame kind, std::span<const std::uint8_t> bytes) const;
    bool writeFrame(Frame kind, std::string_view text) const;  // at most mostText bytes of it

private:
    // Returns the number of bytes done; 0: no more are possible.
    std::size_t readSome(std::uint8_t* at, std::size_t count) const;
    std::size_t writeSome(const std::uint8_t* at, std::size_t count) const;

    std::intptr_t handle_ = -1;
};

}  // namespace a2
