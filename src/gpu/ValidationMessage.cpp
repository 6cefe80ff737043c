#include "gpu/ValidationMessage.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

namespace {

std::string inOneLine(const std::string& text)
{
    std::string line;
    for (const char c : text) {
        const bool space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
        if (!space)
            line += c;
        else if (!line.empty() && line.back() != ' ')
            line += ' ';
    }
    if (line.ends_with(' ')) line.pop_back();
    return line;
}

// Older layers write "Validation Error: [ VUID-x ] Object 0: handle = ... | MessageID = 0x1 | text".
std::string withoutHeader(const std::string& line)
{
    constexpr std::string_view number = "MessageID = ";
    const std::size_t at = line.find(number);
    if (!line.starts_with("Validation ") || at == std::string::npos) return line;
    std::size_t text = line.find(' ', at + number.size());
    text = line.find_first_not_of("| ", text);
    return text == std::string::npos ? line : line.substr(text);
}

}  // namespace

// Newer layers write "vkQueueSubmit(): pSubmits[0] DebugPrintf: text".
std::string printedMessage(const std::string& text)
{
    constexpr std::string_view mark = "DebugPrintf: ";
    const std::string line = withoutHeader(inOneLine(text));
    const std::size_t at = line.find(mark);
    return at == std::string::npos ? line : line.substr(at + mark.size());
}

std::string validationMessage(const char* id, const std::string& text)
{
    constexpr std::size_t most = 1000;
    std::string line = inOneLine(text);
    if (id && *id) {
        line = withoutHeader(line);
        if (!line.starts_with(id)) line = fmt::format("{}: {}", id, line);
    }
    return line.size() > most ? fmt::format("{} ...", line.substr(0, most)) : line;
}

}  // namespace a2
