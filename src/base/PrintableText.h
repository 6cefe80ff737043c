// Text of a stranger's, on its way to a terminal, a browser or an editor: nothing in it is obeyed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace a2 {

// One line: a space for each control character, a question mark for what is not UTF-8, and its number, <U+202E>, for
// what turns the direction of writing, ends lines or cannot be seen.
std::string printableText(std::string_view text);

// The first bytes of a text: `most` of them, or some fewer where these would end within a letter of UTF-8.
std::string_view firstBytes(std::string_view text, std::size_t most);

// Several lines, each of them so; tabs stay. colours: what switches colours (ESC [ 31 m), too, which a2 itself writes.
std::string printableLines(std::string_view text, bool colours = false);

}  // namespace a2
