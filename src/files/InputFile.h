// A text file that is read piece by piece, so that an endless one is refused instead of filling the memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

class InputFile {
public:
    // Opens it. Throws UsageError where that fails, for a folder, and for a named pipe that has no writer for 5 s.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // Anything but a regular file may be endless, so at most this much of it is read. The default is 64 MiB.
    void limitPipeTo(std::uint64_t bytes) { pipeLimit_ = bytes; }

    // Reads up to `most` bytes; fewer only at the end of the file. Throws UsageError where reading fails, and for a
    // device or a pipe beyond its limit.
    std::size_t read(char* to, std::size_t most);

private:
    std::size_t readSome(char* to, std::size_t most);  // no more than is available now
    std::size_t readOnce(char* to, std::size_t most);
    void awaitWriter();

    std::string path_;
    int descriptor_ = -1;
    bool regular_ = true;
    std::optional<char> first_;  // read already
    std::uint64_t pipeLimit_ = std::uint64_t{1} << 26;
    std::uint64_t total_ = 0;
};

}  // namespace a2
