#include "base/PrintableText.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>

namespace a2 {

namespace {

// Length of the UTF-8 character that begins here; 0: none begins here.
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
    if (first >= 0xE0 && first <= 0xEF)  // no longer encoding than needed, and no half of a UTF-16 pair
        return follows(1, first == 0xE0 ? 0xA0 : 0x80, first == 0xED ? 0x9F : 0xBF) && follows(2) ? 3 : 0;
    if (first >= 0xF0 && first <= 0xF4)
        return follows(1, first == 0xF0 ? 0x90 : 0x80, first == 0xF4 ? 0x8F : 0xBF) && follows(2) && follows(3) ? 4 : 0;
    return 0;
}

// The number of a character of more than one byte.
std::uint32_t codeOf(std::string_view character)
{
    constexpr std::array<unsigned, 5> bitsOfFirst = {0, 0, 0x1F, 0x0F, 0x07};
    std::uint32_t code = static_cast<unsigned char>(character[0]) & bitsOfFirst.at(character.size());
    for (const char one : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(one) & 0x3FU);
    return code;
}

struct Range {
    std::uint32_t first, last;
};

// Characters that control the text after them, or are invisible: Unicode's Cf, Zl and Zp, and code points that are no
// characters.
constexpr Range obeyed[] = {
    {0x00AD, 0x00AD}, {0x0600, 0x0605},   {0x061C, 0x061C},   {0x06DD, 0x06DD},   {0x070F, 0x070F}, {0x180E, 0x180E},
    {0x200B, 0x200F}, {0x2028, 0x202E},   {0x2060, 0x206F},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
    {0xFFFE, 0xFFFF}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool isObeyed(std::uint32_t code)
{
    return std::any_of(std::begin(obeyed), std::end(obeyed),
                       [&](const Range& range) { return code >= range.first && code <= range.last; });
}

std::string numberOf(std::uint32_t code)
{
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "<U+%04X>", static_cast<unsigned>(code));
    return text.data();
}

// Length of the colour switch, ESC [ digits and semicolons m, that begins here; 0: none begins here.
std::size_t colourAt(std::string_view text, std::size_t at)
{
    if (text.substr(at, 2) != "\x1b[") return 0;
    const std::size_t end = text.find_first_not_of("0123456789;", at + 2);
    return end != std::string_view::npos && text[end] == 'm' ? end + 1 - at : 0;
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
        else if (const std::uint32_t code = codeOf(text.substr(at, length)); isObeyed(code))
            result += numberOf(code);
        else
            result += text.substr(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return result;
}

std::string_view firstBytes(std::string_view text, std::size_t most)
{
    if (text.size() <= most) return text;
    std::size_t end = most;
    while (end > 0 && most - end < 4 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80) --end;
    return text.substr(0, end);
}

std::string printableLines(std::string_view text, bool colours)
{
    std::string result;
    std::size_t from = 0;
    const auto pass = [&](std::size_t to, std::size_t kept) {
        result += printableText(text.substr(from, to - from));
        result += text.substr(to, kept);
        from = to + kept;
    };
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t kept = text[at] == '\n' || text[at] == '\t' ? 1 : colours ? colourAt(text, at) : 0;
        if (kept > 0) pass(at, kept);
        at += std::max<std::size_t>(kept, 1);
    }
    pass(text.size(), 0);
    return result;
}

}  // namespace a2
