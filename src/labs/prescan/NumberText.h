// Pieces of a text of numbers: where words begin, what they are, and where in the file that is.
#pragma once

#include "labs/prescan/Prescan.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace a2 {

inline bool isSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Whether a word begins at `at`.
inline bool wordBegins(std::string_view text, std::size_t at)
{
    return !isSpace(text[at]) && (at == 0 || isSpace(text[at - 1]));
}

// The word that begins at `at`.
std::string_view wordAt(std::string_view text, std::size_t at);

// The bits of the number that begins at `at`; empty where the word there is none of this type.
std::optional<std::uint32_t> parseElement(std::string_view text, std::size_t at, Element element);

// Why parseElement() was empty: "'nan' is not finite; ...".
std::string whyNoElement(std::string_view word, Element element);

// The beginning of a word, without what a terminal would not show.
std::string printable(std::string_view word);

// "'text'", shortened, and without what a terminal would not show.
std::string quotedWord(std::string_view word);

// A position in a file; both count from 1. Columns are bytes.
struct TextPlace {
    std::uint64_t line = 1, column = 1;
    void pass(std::string_view text);
    // "PATH, line 3, column 5"
    std::string in(const std::string& path) const;
};

}  // namespace a2
