// Floats in texts.
#pragma once

#include <charconv>

namespace a2 {

// Reads as std::from_chars() does: decimal, also "inf" and "nan", with no white space and no '+' in front, in every
// locale. That function itself is missing for floats in libc++. `ptr` is where the number ends, or `begin` where there
// is none (invalid_argument). For a number beyond the type, or too near to 0 for it, the error is result_out_of_range,
// and `value` stays as it is.
std::from_chars_result parseFloat(const char* begin, const char* end, float& value);
std::from_chars_result parseFloat(const char* begin, const char* end, double& value);

}  // namespace a2
