#include "labs/prescan/NumberText.h"

#include "base/FloatText.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace a2 {

std::string_view wordAt(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    return rest.substr(0, static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), isSpace) - rest.begin()));
}

std::optional<std::uint32_t> parseElement(std::string_view text, std::size_t at, Element element)
{
    const char* const begin = text.data() + at;
    const char* const end = text.data() + text.size();
    const auto whole = [end](const std::from_chars_result& result) {
        return result.ec == std::errc() && (result.ptr == end || isSpace(*result.ptr));
    };
    if (element == Element::uint32) {
        std::uint32_t value = 0;
        return whole(std::from_chars(begin, end, value)) ? std::optional(value) : std::nullopt;
    }
    float value = 0;
    if (!whole(parseFloat(begin, end, value)) || !std::isfinite(value)) return {};
    return std::bit_cast<std::uint32_t>(value);
}

constexpr std::size_t mostPrinted = 20;

std::string printable(std::string_view word)
{
    std::string text(word.substr(0, mostPrinted));
    for (char& c : text)
        if (c < ' ' || c > '~') c = '?';
    return text;
}

std::string quotedWord(std::string_view word)
{
    return fmt::format("'{}{}'", printable(word), word.size() > mostPrinted ? "..." : "");
}

std::string whyNoElement(std::string_view word, Element element)
{
    const std::string text = quotedWord(word);
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = parseFloat(word.data(), end, value);
    if (error == std::errc::invalid_argument || stop != end) return fmt::format("{} is not a number; correct it", text);
    if (error == std::errc() && !std::isfinite(value))
        return fmt::format("{} is not finite, and has no place in a sum; correct it", text);
    if (element == Element::uint32)
        return fmt::format("{} is not a whole number from 0 to 4294967295; correct it, or read floats: --type float",
                           text);
    return fmt::format("{} is out of the range of float, 1.4e-45 to 3.4e+38 and 0; correct it", text);
}

void TextPlace::pass(std::string_view text)
{
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines == 0) {
        column += text.size();
        return;
    }
    line += lines;
    column = text.size() - text.rfind('\n');
}

std::string TextPlace::in(const std::string& path) const
{
    return fmt::format("{}, line {}, column {}", path, line, column);
}

}  // namespace a2
