#include "base/SourceText.h"

#include "base/PrintableText.h"

#include <sstream>

namespace a2 {

namespace {

std::string trimmed(const std::string& line)
{
    const std::size_t first = line.find_first_not_of(" \t\r");
    const std::size_t last = line.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : printableText(line.substr(first, last - first + 1));
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
