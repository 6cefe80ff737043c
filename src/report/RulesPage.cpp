#include "report/RulesPage.h"

#include "report/Text.h"

#include <fmt/format.h>

#include <regex>

namespace a2 {

namespace {

// The text below the rule's heading, up to the next one.
std::optional<std::string_view> sectionOf(std::string_view page, std::string_view rule)
{
    const std::string heading = fmt::format("\n### `{}`\n", rule);
    const std::size_t found = page.find(heading);
    if (found == std::string_view::npos) return {};
    const std::string_view rest = page.substr(found + heading.size());
    return rest.substr(0, rest.find("\n##"));
}

// Removes Markdown's marks for links and bold text.
std::string plain(const std::string& text)
{
    static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))"), bold(R"(\*\*([^*]*)\*\*)");
    return std::regex_replace(std::regex_replace(text, link, "$1"), bold, "$1");
}

// A row of a table, "| a | b |", as "a: b".
std::string rowOf(const std::string& line, std::size_t columns)
{
    const std::size_t between = line.find(" | ");
    const std::size_t end = line.rfind(" |");
    return wrapped(plain(line.substr(2, between - 2) + ": " + line.substr(between + 3, end - between - 3)), 4, columns);
}

}  // namespace

std::optional<std::string> explainRule(std::string_view page, std::string_view rule, std::size_t columns)
{
    const auto section = sectionOf(page, rule);
    if (!section) return {};
    std::string text = fmt::format("{}\n", rule), paragraph;
    const auto endParagraph = [&] {
        if (!paragraph.empty()) text += "\n" + wrapped(plain(paragraph), 0, columns, 0);
        paragraph.clear();
    };
    bool code = false, table = false;
    for (std::size_t at = 0; at < section->size();) {
        const std::size_t end = std::min(section->find('\n', at), section->size());
        const std::string line(section->substr(at, end - at));
        at = end + 1;
        if (line.starts_with("```")) {
            endParagraph();
            code = !code;
            if (code) text += "\nWrong, for example:\n";
        } else if (code) {
            text += line.empty() ? "\n" : "    " + line + "\n";
        } else if (line.empty()) {
            endParagraph();
            table = false;
        } else if (line.starts_with("|--")) {
            text += "\n";
            table = true;
        } else if (line.starts_with("| ")) {
            if (table) text += rowOf(line, columns);  // not the names of the columns
        } else {
            paragraph += (paragraph.empty() ? "" : " ") + line;
        }
    }
    endParagraph();
    return text;
}

}  // namespace a2
