#include "tasks/InputFile.h"
#include "a2/Error.h"
#include "labs/prescan/NumberFile.h"
#include "labs/prescan/NumberText.h"
#include "labs/prescan/PrescanJudge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace a2 {

namespace {

constexpr std::size_t blockBytes = std::size_t{1} << 22;

class NumberReader {
public:
    NumberReader(const std::string& path, Element element, std::span<std::uint32_t> words, const std::string& sizeFile)
        : path_(path), element_(element), words_(words), sizeFile_(sizeFile), file_(path)
    {
        constexpr std::uint64_t longest = 64, least = std::uint64_t{1} << 26;  // bytes: of a number, and of a file
        file_.limitPipeTo(std::max(least, words.size() * longest));
    }

    void read()
    {
        std::vector<char> block(blockBytes);
        std::size_t kept = 0;  // bytes of a word that the last block ended in
        for (bool end = false, first = true; !end; first = false) {
            const std::size_t filled = kept + file_.read(block.data() + kept, block.size() - kept);
            end = filled < block.size();
            const std::string_view text(block.data(), filled);
            const std::size_t complete = end ? filled : wholeWords(text);
            const std::size_t from = first ? accuracyLineLength(text.substr(0, complete)) : 0;
            place_.pass(text.substr(0, from));
            take(text.substr(from, complete - from));
            place_.pass(text.substr(from, complete - from));
            kept = filled - complete;
            std::copy_n(block.data() + complete, kept, block.data());
        }
        if (seen_ < words_.size())
            throw UsageError(fmt::format("{}: the file ends after {} numbers, and {} says {}; is it cut off?",
                                         place_.in(path_), seen_, sizeFile_, words_.size()));
    }

private:
    // How much of the text is words that end in it.
    std::size_t wholeWords(std::string_view text) const
    {
        const auto last = std::find_if(text.rbegin(), text.rend(), isSpace);
        if (last == text.rend())
            throw UsageError(
                fmt::format("{}: {} and so on is not a number; correct it", place_.in(path_), quotedWord(text)));
        return static_cast<std::size_t>(text.rend() - last);
    }

    static std::size_t accuracyLineLength(std::string_view text)
    {
        const std::size_t end = text.starts_with(accuracyMark) ? text.find('\n') : 0;
        return std::min(end, text.size());
    }

    // Words are counted first, so that all cores know where their numbers belong.
    void take(std::string_view text)
    {
        std::vector<std::uint64_t> begins(ceilDiv(text.size(), parallelBlock) + 1);  // words before each part
        inParallel(text.size(), [&](std::uint64_t first, std::uint64_t end) {
            std::uint64_t count = 0;
            for (std::size_t at = first; at < end; ++at) count += wordBegins(text, at);
            begins[first / parallelBlock + 1] = count;
        });
        for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];

        std::vector<std::size_t> faults(begins.size(), std::string_view::npos);  // the first in each part
        inParallel(text.size(), [&](std::uint64_t first, std::uint64_t end) {
            std::uint64_t index = seen_ + begins[first / parallelBlock];
            for (std::size_t at = first; at < end; ++at) {
                if (!wordBegins(text, at)) continue;
                const auto word = index < words_.size() ? parseElement(text, at, element_) : std::nullopt;
                if (!word) {
                    faults[first / parallelBlock] = at;
                    return;
                }
                words_[index++] = *word;
            }
        });
        for (const std::size_t at : faults)
            if (at != std::string_view::npos) refuse(text, at);
        seen_ += begins.back();
    }

    [[noreturn]] void refuse(std::string_view text, std::size_t at) const
    {
        TextPlace place = place_;
        place.pass(text.substr(0, at));
        const std::string_view word = wordAt(text, at);
        throw UsageError(parseElement(text, at, element_)
                             ? fmt::format("{}: a number more than the {} that {} says; correct one of the two files",
                                           place.in(path_), words_.size(), sizeFile_)
                             : fmt::format("{}: {}", place.in(path_), whyNoElement(word, element_)));
    }

    std::string path_;
    Element element_;
    std::span<std::uint32_t> words_;
    std::string sizeFile_;
    InputFile file_;
    TextPlace place_;  // where the text that comes next begins
    std::uint64_t seen_ = 0;
};

}  // namespace

void readNumbers(const std::string& path, Element element, std::span<std::uint32_t> words, const std::string& sizeFile)
{
    NumberReader(path, element, words, sizeFile).read();
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
