// Foreign text on its way to a terminal, a browser or an editor: none of them may obey anything in it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace a2 {

// One line. A space replaces each control character, a question mark what is not UTF-8. Characters that change the
// direction of writing, end lines or are invisible become their number, <U+202E>.
std::string printableText(std::string_view text);

// The first bytes of a text: `most` of them, or a few less where these would end within a UTF-8 character.
std::string_view firstBytes(std::string_view text, std::size_t most);

// Several lines, each treated so; tabs stay. colours: colour switches (ESC [ 31 m), which a2 itself writes, stay, too.
std::string printableLines(std::string_view text, bool colours = false);

}  // namespace a2
