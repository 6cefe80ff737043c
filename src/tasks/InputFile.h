// A text file that is read piece by piece, so that one without an end is refused and not kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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
    // The same, but no more than there is at the moment; 0 only at the end of the file.
    std::size_t readSome(char* to, std::size_t most);

private:
    std::size_t readOnce(char* to, std::size_t most);
    void awaitWriter();

    std::string path_;
    int descriptor_ = -1;
    bool regular_ = true;
    std::optional<char> first_;  // read already
    std::uint64_t pipeLimit_ = std::uint64_t{1} << 26;
    std::uint64_t total_ = 0;
};

// The words of a text file, one after the other: what stands between spaces, tabs and line breaks.
class WordReader {
public:
    // Throws UsageError as InputFile does.
    explicit WordReader(const std::string& path);

    // False at the end. The word is valid until the next call. Of one that is longer than any number only the beginning
    // is shown, and the next call throws UsageError.
    bool next(std::string_view& word);
    // Of the last word: "PATH, line 3, column 5"; both count from 1, columns are bytes.
    std::string place() const;

private:
    char peek();

    std::string path_;
    InputFile file_;
    std::vector<char> block_;
    std::size_t at_ = 0, end_ = 0;  // in the block
    bool cut_ = false;              // the last word had no end
    std::string word_;
    std::uint64_t line_ = 1, column_ = 1;          // of what comes next
    std::uint64_t wordLine_ = 1, wordColumn_ = 1;  // of the last word
};

}  // namespace a2
