#include "annexes/prescan/NumberText.h"

#include "base/FloatText.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cmath>

namespace a2 {

namespace {

template <bool isReal>
std::optional<std::uint32_t> parse(std::string_view text, std::size_t at)
{
    const char* const begin = text.data() + at;
    const char* const end = text.data() + text.size();
    if constexpr (!isReal) {
        std::uint32_t value = 0;
        return readWhole(std::from_chars(begin, end, value), end) ? std::optional(value) : std::nullopt;
    } else {
        float value = 0;
        if (!readWhole(parseFloat(begin, end, value), end) || !std::isfinite(value)) return {};
        return std::bit_cast<std::uint32_t>(value);
    }
}

template <bool isReal>
std::string objection(std::string_view word)
{
    const std::string text = quotedWord(word);
    double value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = parseFloat(word.data(), end, value);
    if (error == std::errc::invalid_argument || stop != end) return fmt::format("{} is not a number; correct it", text);
    if (error == std::errc() && !std::isfinite(value))
        return fmt::format("{} is not finite, and has no place in a sum; correct it", text);
    if constexpr (!isReal)
        return fmt::format("{} is not a whole number from 0 to 4294967295; correct it, or read floats: --type float",
                           text);
    else
        return fmt::format("{} is out of the range of float, 1.4e-45 to 3.4e+38 and 0; correct it", text);
}

}  // namespace

WordType numbersOf(const ElementType& element)
{
    if (!element.isReal) return {parse<false>, objection<false>};
    return {parse<true>, objection<true>};
}

}  // namespace a2
