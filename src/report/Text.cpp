#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>

namespace a2 {

std::string coloured(const std::string& text, const char* code, const ConsoleStyle& style)
{
    return style.colour ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
}

std::string wrapped(const std::string& line, std::size_t indent, std::size_t columns, std::size_t hang)
{
    std::string text(indent, ' ');
    std::size_t used = indent;
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::string word = line.substr(at, end - at);
        if (columns > 0 && used + word.size() + 1 > columns && used > indent + hang) {
            text.append("\n").append(indent + hang, ' ');
            used = indent + hang;
        } else if (at > 0) {
            text += ' ';
            ++used;
        }
        text += word;
        used += word.size();
        at = end + 1;
    }
    return text + "\n";
}

std::string shapeText(const KernelShape& shape) { return fmt::format("{} x {}", shape.workGroup, shape.elements); }

}  // namespace a2
