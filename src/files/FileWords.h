// Text files of words separated by white space, of any length. They are read in blocks, on all cores.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace a2 {

inline bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether a word begins at `at`.
inline bool wordBegins(std::string_view text, std::size_t at)
{
    return !isSpace(text[at]) && (at == 0 || isSpace(text[at - 1]));
}

// The word that begins at `at`.
std::string_view wordAt(std::string_view text, std::size_t at);

// The beginning of a word, without characters that a terminal does not show.
std::string printable(std::string_view word);

// "'text'", shortened, and without characters that a terminal does not show.
std::string quotedWord(std::string_view word);

// A position in a file; both count from 1. Columns are bytes.
struct TextPlace {
    std::uint64_t line = 1, column = 1;
    void pass(std::string_view text);
    // "PATH, line 3, column 5"
    std::string in(const std::string& path) const;
};

// What kind of values the words of a file are.
struct WordType {
    // The 32 bits of the word that begins at text[at]; empty where it is no value of this kind. The word ends before
    // the next white space.
    std::optional<std::uint32_t> (*parse)(std::string_view text, std::size_t at);
    // Why it is no such value: "'nan' is not a number; correct it".
    std::string (*objection)(std::string_view word);
};

// Reads a number from `begin` to white space or `end`: false if `result` does not end there.
template <class Result>
bool readWhole(const Result& result, const char* end)
{
    return result.ec == decltype(result.ec)() && (result.ptr == end || isSpace(*result.ptr));
}

// All words of a file. Throws UsageError as InputFile does; also, with file, line and column, for a word of another
// type.
std::vector<std::uint32_t> readWords(const std::string& path, const WordType& type);

// The same for a file that must hold exactly words.size() words; throws UsageError also where there are fewer or more.
// sizeFile: the file that gives this number, for the message. passedOver: a first line with this beginning is skipped.
void readWords(const std::string& path, const WordType& type, std::span<std::uint32_t> words,
               const std::string& sizeFile, std::string_view passedOver);

}  // namespace a2
