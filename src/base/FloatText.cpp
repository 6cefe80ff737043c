#include "base/FloatText.h"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>

namespace a2 {

namespace {

bool isNonZeroDigit(char c) { return c >= '1' && c <= '9'; }

// Releases of fast_float before 4 do not return result_out_of_range: they give infinity or 0.
template <class Float>
std::from_chars_result parse(const char* begin, const char* end, Float& value)
{
    Float parsed = 0;
    const auto [stop, error] = fast_float::from_chars(begin, end, parsed);
    if (error == std::errc::invalid_argument) return {begin, error};
    const char* const exponent = std::find_if(begin, stop, [](char c) { return c == 'e' || c == 'E'; });
    const bool hasDigits = std::any_of(begin, exponent, isNonZeroDigit);
    if (hasDigits && (parsed == 0 || std::isinf(parsed))) return {stop, std::errc::result_out_of_range};
    value = parsed;
    return {stop, std::errc()};
}

}  // namespace

std::from_chars_result parseFloat(const char* begin, const char* end, float& value) { return parse(begin, end, value); }
std::from_chars_result parseFloat(const char* begin, const char* end, double& value)
{
    return parse(begin, end, value);
}

}  // namespace a2
