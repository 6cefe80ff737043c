#include "worker/CompilerMessages.h"

#include "base/PrintableText.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>

namespace a2 {

namespace {

constexpr std::size_t longestShown = 300;  // bytes

std::string shown(std::string_view text)
{
    return printableText(firstBytes(text, longestShown)) + (text.size() > longestShown ? " ..." : "");
}

// Calls for each line until `is` has said true.
template <class Is>
void findLine(std::string_view text, const Is& is)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find_first_of("\r\n"), text.size());
        if (is(text.substr(0, end))) return;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
}

std::string_view fileNameOf(std::string_view path) { return path.substr(path.find_last_of("/\\") + 1); }

// "file.cpp:12:3: fatal error: text"; without a place, file is empty.
struct ErrorLine {
    std::string_view file, line, text;
};

bool isNumber(std::string_view text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Takes what follows the last colon from the text.
std::string_view takeLast(std::string_view& text)
{
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return {};
    const std::string_view last = text.substr(colon + 1);
    text.remove_suffix(text.size() - colon);
    return last;
}

bool readError(std::string_view line, ErrorLine& error)
{
    constexpr std::string_view word = "error: ";
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) return false;
    error = {{}, {}, line.substr(at + word.size())};
    std::string_view place = line.substr(0, at);
    if (constexpr std::string_view fatal = "fatal "; place.ends_with(fatal)) place.remove_suffix(fatal.size());
    if (!place.ends_with(": ")) return true;
    place.remove_suffix(2);
    const std::string_view column = takeLast(place), number = takeLast(place);
    if (isNumber(column) && isNumber(number)) {
        error.file = fileNameOf(place);
        error.line = number;
    }
    return true;
}

}  // namespace

std::string whyUncompiled(const std::string& output, const std::string& file)
{
    std::string first, own;
    findLine(output, [&](std::string_view line) {
        ErrorLine error;
        if (!readError(line, error)) return false;
        if (error.file == file)
            own = fmt::format(":{} does not compile: {}", shown(error.line), shown(error.text));
        else if (first.empty() && error.file.empty())
            first = fmt::format("does not compile: {}", shown(error.text));
        else if (first.empty())
            first = fmt::format("does not compile: {}:{}: {}", shown(error.file), shown(error.line), shown(error.text));
        return !own.empty();
    });
    return own.empty() ? first : own;
}

std::string whyUnlinked(const std::string& output)
{
    std::string why;
    findLine(output, [&](std::string_view line) {
        for (const std::string_view kind : {"undefined reference to ", "undefined symbol: ", "multiple definition of ",
                                            "duplicate symbol: ", "relocation "}) {
            const std::size_t at = line.find(kind);
            if (at == std::string_view::npos) continue;
            why = "does not link: " + shown(line.substr(at, line.find(';', at) - at));
            return true;
        }
        return false;
    });
    return why;
}

std::vector<std::string> prerequisitesOf(const std::string& rule)
{
    std::vector<std::string> words;
    std::string word;
    const auto end = [&] {
        if (!word.empty()) words.push_back(std::exchange(word, {}));
    };
    // The target may have a drive's colon in it.
    std::size_t at = rule.find(": ");
    if (at == std::string::npos) return words;
    for (at += 2; at < rule.size(); ++at) {
        const char c = rule[at], next = at + 1 < rule.size() ? rule[at + 1] : char{};
        if (c == '\\' && (next == ' ' || next == '#' || next == '\n' || next == '\r')) {
            ++at;
            if (next == ' ' || next == '#') word += next;
        } else if (c == '$' && next == '$') {
            word += c;
            ++at;
        } else if (c == ' ' || c == '\n' || c == '\r') {
            end();
        } else {
            word += c;
        }
    }
    end();
    return words;
}

}  // namespace a2
