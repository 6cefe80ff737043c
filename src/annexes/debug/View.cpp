#include "annexes/debug/View.h"

#include "a2/Error.h"
#include "base/SourceText.h"
#include "lint/EmulatedFindings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace a2::debug {

void View::needInvocation() const
{
    if (look.event.isEnd)
        throw UsageError("no invocation is left at the end of a dispatch: 'back' goes to its last line");
}

std::string View::head() const
{
    const std::uint32_t number = look.event.dispatch;
    std::string text =
        fmt::format("dispatch {} of {} '{}'", number, timeline.dispatches(), timeline.dispatch(number).label);
    if (look.event.isEnd) return text;
    return text + fmt::format(", work-group {}, invocation {}, phase {}", selected.group, selected.invocation,
                              look.event.phase);
}

KernelLine View::line() const
{
    const auto frames = here().frames(selected.invocation);
    return frames.empty() ? KernelLine() : frames.front().where;
}

std::string View::textOf(const KernelLine& line) const { return sourceLine(sourceOf(line.file), line.line).text; }

std::vector<std::string> View::buffers() const
{
    std::vector<std::string> names = here().names(invocation()).buffers;
    for (const auto& [name, whole] : timeline.buffers())
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

const std::string& View::sourceOf(const std::string& file) const
{
    static std::map<std::string, std::string> known;
    const auto [found, isNew] = known.try_emplace(file);
    if (!isNew) return found->second;
    if (const std::filesystem::path path = timeline.fileOf(underShaders(file)); !path.empty()) {
        std::ifstream stream(path, std::ios::binary);
        found->second.assign(std::istreambuf_iterator<char>(stream), {});
    }
    for (const auto& [name, source] : here().sources())
        if (found->second.empty() && name == file) found->second = source;
    return found->second;
}

std::string trimmed(const std::string& text)
{
    const auto isBlank = [](char one) { return std::isspace(static_cast<unsigned char>(one)) != 0; };
    const auto first = std::find_if_not(text.begin(), text.end(), isBlank);
    const auto last = std::find_if_not(text.rbegin(), text.rend(), isBlank).base();
    return first < last ? std::string(first, last) : std::string();
}

std::pair<std::string, std::string> firstWord(const std::string& text)
{
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    return {text.substr(0, end), trimmed(text.substr(end))};
}

std::optional<std::uint64_t> wholeNumber(const std::string& text)
{
    if (text.empty() || text.size() > 12 || text.find_first_not_of("0123456789") != std::string::npos) return {};
    return std::stoull(text);
}

std::uint64_t numberFrom(const std::string& text, std::uint64_t usual, const char* what)
{
    if (text.empty()) return usual;
    if (const auto number = wholeNumber(text)) return *number;
    throw UsageError(fmt::format("'{}' is no {}", text, what));
}

}  // namespace a2::debug
