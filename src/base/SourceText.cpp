#include "base/SourceText.h"

#include "base/PrintableText.h"

#include <sstream>
#include <string_view>

namespace a2 {

namespace {

constexpr std::size_t longestShown = 160;  // bytes

std::string trimmed(const std::string& line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    const std::size_t last = line.find_last_not_of(" \t\r");
    if (first == std::string::npos) return "";
    const std::string_view whole = std::string_view(line).substr(first, last - first + 1);
    return printableText(firstBytes(whole, longestShown)) + (whole.size() > longestShown ? " ..." : "");
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
