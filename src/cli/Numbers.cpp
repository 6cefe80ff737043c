// Numbers on the command line: the whole text must be the number. (std::stoull accepts "-1", and reads "1e6" as 1.)

#include "a2/Error.h"
#include "cli/Options.h"

#include <fmt/format.h>

#include <charconv>

namespace a2 {

namespace {

enum class Parse { number, garbage, tooLarge };

Parse parseWhole(std::string_view text, std::uint64_t& value)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || end != text.data() + text.size()) return Parse::garbage;
    if (error == std::errc::result_out_of_range) return Parse::tooLarge;
    return error == std::errc() ? Parse::number : Parse::garbage;
}

[[noreturn]] void tooLarge(const std::string& name, const std::string& text)
{
    throw UsageError(fmt::format("{} {}: more than 2^64 - 1, which nothing can hold", name, text));
}

}  // namespace

std::uint64_t parseSize(const std::string& name, const std::string& text)
{
    const auto garbage = [&] {
        return UsageError(fmt::format(
            "{} '{}': not a number of elements; write 1000000, 2^20, 128Mi (Ki, Mi, Gi) or auto", name, text));
    };
    std::uint64_t value = 0;
    if (text.starts_with("2^")) {
        if (parseWhole(std::string_view(text).substr(2), value) != Parse::number) throw garbage();
        if (value > 63) tooLarge(name, text);
        return std::uint64_t{1} << value;
    }
    unsigned shift = 0;
    std::string_view digits = text;
    if (digits.size() > 2 && digits.back() == 'i') {
        const char unit = digits[digits.size() - 2];
        shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
        if (shift == 0) throw garbage();
        digits.remove_suffix(2);
    }
    const Parse parsed = parseWhole(digits, value);
    if (parsed == Parse::garbage) throw garbage();
    if (parsed == Parse::tooLarge || value > (UINT64_MAX >> shift)) tooLarge(name, text);
    return value << shift;
}

std::uint64_t parseNumber(const std::string& name, const std::string& text, std::uint64_t least, std::uint64_t most)
{
    std::uint64_t value = 0;
    if (parseWhole(text, value) != Parse::number || value < least || value > most)
        throw UsageError(most == UINT64_MAX
                             ? fmt::format("{} '{}': must be a whole number, {} or more", name, text, least)
                             : fmt::format("{} '{}': must be a whole number from {} to {}", name, text, least, most));
    return value;
}

}  // namespace a2
