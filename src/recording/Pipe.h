// Reads and writes one end of a pipe between a2 and the code of solutions. Only what may be called in a signal's
// handler.
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

    // All bytes, or false: end of file, or the handle is none any more.
    bool read(std::span<std::uint8_t> bytes) const;
    bool write(std::span<const std::uint8_t> bytes) const;

    bool writeFrame(Frame kind, std::span<const std::uint8_t> bytes) const;
    bool writeFrame(Frame kind, std::string_view text) const;  // mostText bytes of it

private:
    // Bytes done; 0: nothing more can be.
    std::size_t readSome(std::uint8_t* at, std::size_t count) const;
    std::size_t writeSome(const std::uint8_t* at, std::size_t count) const;

    std::intptr_t handle_ = -1;
};

}  // namespace a2
