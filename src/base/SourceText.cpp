#include "base/SourceText.h"

#include "base/PrintableText.h"

#include <sstream>

namespace a2 {

namespace {

constexpr std::size_t longestShown = 160;  // bytes

std::string trimmed(const std::string& line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos) return "";
    std::size_t bytes = last - first + 1;
    if (bytes <= longestShown) return printableText(line.substr(first, bytes));
    bytes = longestShown;
    while (bytes > 0 && (static_cast<unsigned char>(line[first + bytes]) & 0xC0U) == 0x80) --bytes;  // inside a letter
    return printableText(line.substr(first, bytes)) + " ...";
}

}  // namespace

SourceLine sourceLine(const std::string& text, std::uint64_t number)
{
    SourceLine found;
    std::istringstream lines(text);
    std::uint64_t at = 1;
    for (std::string line; std::getline(lines, line); ++at) {
        line = trimmed(line);
        if (at == number) {
            found.text = line;
            return found;
        }
        if (!line.empty()) found.before = line;
    }
    return {};
}

std::string quoted(const SourceLine& line)
{
    if (line.text.empty()) return {};
    return " `" + line.text + "`" + (line.before.empty() ? "" : ", after `" + line.before + "`");
}

}  // namespace a2
