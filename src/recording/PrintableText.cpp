#include "recording/PrintableText.h"

#include <algorithm>
#include <cstddef>

namespace a2 {

namespace {

// Length of the character of UTF-8 that begins here; 0: none does.
std::size_t characterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) {
        return at + i < text.size() ? static_cast<unsigned char>(text[at + i]) : 0U;
    };
    const auto follows = [&](std::size_t i, unsigned least = 0x80, unsigned most = 0xBF) {
        return byte(i) >= least && byte(i) <= most;
    };
    const unsigned first = byte(0);
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first <= 0xDF) return follows(1) ? 2 : 0;
    if (first >= 0xE0 && first <= 0xEF)  // no longer than need be, and no half of a pair of UTF-16
        return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
    if (first >= 0xF0 && first <= 0xF4)
        return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

}  // namespace

std::string printableText(std::string_view text)
{
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t length = characterAt(text, at);
        const auto first = static_cast<unsigned char>(text[at]);
        if (length == 0)
            result += '?';
        else if (length == 1)
            result += first < 0x20 || first == 0x7F ? ' ' : text[at];
        else if (first == 0xC2 && static_cast<unsigned char>(text[at + 1]) < 0xA0)
            result += ' ';  // U+0080 to U+009F
        else
            result += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return result;
}

}  // namespace a2
