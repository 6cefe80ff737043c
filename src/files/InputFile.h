// A text file that is read piece by piece, so that one without an end is refused and not kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

class InputFile {
public:
    // Opens it. Throws UsageError where that fails, for a folder, and for a named pipe that nobody writes to for 5 s.
    explicit InputFile(const std::string& path);
    ~InputFile();
    InputFile(const InputFile&) = delete;
    InputFile& operator=(const InputFile&) = delete;

    // What is no regular file may have no end: no more than this is read of it. 64 MiB unless it is set.
    void limitPipeTo(std::uint64_t bytes) { pipeLimit_ = bytes; }

    // Reads up to `most` bytes; fewer only at the end of the file. Throws UsageError where reading fails, and for a
    // device or a pipe beyond its limit.
    std::size_t read(char* to, std::size_t most);

private:
    std::size_t readSome(char* to, std::size_t most);  // no more than there is at the moment
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
