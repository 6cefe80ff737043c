// Text of a stranger's, on its way to a terminal.
#pragma once

#include <string>
#include <string_view>

namespace a2 {

// A space for each control character, a question mark for what is not UTF-8.
std::string printableText(std::string_view text);

}  // namespace a2
