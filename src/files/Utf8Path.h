// Paths as text. In a2 a std::string is UTF-8 on every system; std::filesystem reads one as what the system or the
// standard library takes for its text, which on Windows is something else.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace a2 {

// On Windows throws std::system_error or std::range_error where the text is not UTF-8; elsewhere any bytes will do.
inline std::filesystem::path pathOf(std::string_view text) { return {std::u8string(text.begin(), text.end())}; }

inline std::string utf8Of(const std::filesystem::path& path)
{
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

}  // namespace a2
