// Names of test cases, which may only contain letters and digits.
#pragma once

#include <cctype>
#include <string>

namespace a2 {

inline std::string lettersOf(std::string text)
{
    std::erase_if(text, [](unsigned char c) { return std::isalnum(c) == 0; });
    return text;
}

}  // namespace a2
