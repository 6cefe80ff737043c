#include "base/ShellWord.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <filesystem>

namespace a2 {

std::string shellWord(const std::string& text)
{
#ifdef _WIN32
    constexpr const char* alsoPlain = "/\\._-:+,=";
#else
    constexpr const char* alsoPlain = "/._-:+,=";
#endif
    const bool plain = std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || (c != '\0' && std::strchr(alsoPlain, c));
    });
    if (plain && !text.empty()) return text;
#ifdef _WIN32
    return '"' + text + '"';
#else
    std::string quoted = "'";
    for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted += '\'';
#endif
}

std::string programWord(const std::string& calledAs)
{
    const std::filesystem::path path = calledAs;
    std::error_code error;
    const std::filesystem::path here = std::filesystem::current_path(error);
    if (!path.is_absolute() || error) return shellWord(calledAs);
    const std::filesystem::path relative = path.lexically_relative(here);
    const std::string fromHere = (relative.has_parent_path() ? relative : "." / relative).string();
    return shellWord(!relative.empty() && fromHere.size() < calledAs.size() ? fromHere : calledAs);
}

}  // namespace a2
