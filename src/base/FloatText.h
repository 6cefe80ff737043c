// Floats in texts.
#pragma once

#include <charconv>

namespace a2 {

// As std::from_chars() reads them: decimal, "inf" and "nan" too, with no white space and no '+' in front, whatever the
// locale. That function itself is missing for floats where the standard library is libc++. `ptr` is where the number
// ends, or `begin` where there is none (invalid_argument). A number beyond the type, or too near to 0 for it, is
// result_out_of_range, and leaves `value` as it is.
std::from_chars_result parseFloat(const char* begin, const char* end, float& value);
std::from_chars_result parseFloat(const char* begin, const char* end, double& value);

}  // namespace a2
