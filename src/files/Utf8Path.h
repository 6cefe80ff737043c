// Paths as text. In a2 a std::string is UTF-8 on every system; std::filesystem reads a std::string in the encoding of
// the system or the standard library, which on Windows is another one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace a2 {

// On Windows throws std::system_error or std::range_error where the text is not UTF-8; elsewhere any bytes are allowed.
inline std::filesystem::path pathOf(std::string_view text) { return {std::u8string(text.begin(), text.end())}; }

inline std::string utf8Of(const std::filesystem::path& path)
{
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

}  // namespace a2
