#include "a2/Error.h"
#include "annexes/prescan/NumberFile.h"
#include "annexes/prescan/NumberText.h"
#include "annexes/prescan/PrescanJudge.h"
#include "files/InputFile.h"

#include <fmt/format.h>

#include <charconv>

namespace a2 {

void readNumbers(const std::string& path, const ElementType& element, std::span<std::uint32_t> words,
                 const std::string& sizeFile)
{
    readWords(path, numbersOf(element), words, sizeFile, accuracyMark);
}

std::uint64_t readSizeFile(const std::string& path)
{
    constexpr std::size_t most = 4096;  // a number and some white space
    InputFile file(path);
    std::string buffer(most, ' ');
    const std::string_view text(buffer.data(), file.read(buffer.data(), most));

    const auto refuse = [&](std::size_t at, const std::string& why) {
        TextPlace place;
        place.pass(text.substr(0, at));
        throw UsageError(
            fmt::format("{}: {}; a size file holds one whole number, such as 16000000", place.in(path), why));
    };
    std::optional<std::uint64_t> size;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (!wordBegins(text, at)) continue;
        const std::string_view word = wordAt(text, at);
        if (size) refuse(at, fmt::format("{} is one more", quotedWord(word)));
        std::uint64_t value = 0;
        const char* const end = word.data() + word.size();
        const auto [stop, error] = std::from_chars(word.data(), end, value);
        if (error == std::errc::result_out_of_range && stop == end)
            refuse(at, fmt::format("{} is more than 2^64 - 1", quotedWord(word)));
        if (error != std::errc() || stop != end) refuse(at, fmt::format("{} is none", quotedWord(word)));
        size = value;
    }
    if (!size) refuse(text.size(), "there is no number");
    return *size;
}

}  // namespace a2
