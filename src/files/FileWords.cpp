#include "files/FileWords.h"

#include "a2/Error.h"
#include "a2/KernelShape.h"
#include "base/Parallel.h"
#include "files/InputFile.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>

namespace a2 {

std::string_view wordAt(std::string_view text, std::size_t at)
{
    const std::string_view rest = text.substr(at);
    return rest.substr(0, static_cast<std::size_t>(std::find_if(rest.begin(), rest.end(), isSpace) - rest.begin()));
}

namespace {

constexpr std::size_t mostPrinted = 20;

}  // namespace

std::string printable(std::string_view word)
{
    std::string text(word.substr(0, mostPrinted));
    for (char& c : text)
        if (c < ' ' || c > '~') c = '?';
    return text;
}

std::string quotedWord(std::string_view word)
{
    return fmt::format("'{}{}'", printable(word), word.size() > mostPrinted ? "..." : "");
}

void TextPlace::pass(std::string_view text)
{
    const auto lines = static_cast<std::uint64_t>(std::count(text.begin(), text.end(), '\n'));
    if (lines == 0) {
        column += text.size();
        return;
    }
    line += lines;
    column = text.size() - text.rfind('\n');
}

std::string TextPlace::in(const std::string& path) const
{
    return fmt::format("{}, line {}, column {}", path, line, column);
}

namespace {

constexpr std::size_t blockBytes = std::size_t{1} << 22;

class Reader {
public:
    // Returns room for that many more words, after those that are there. It may be less where fewer are wanted.
    using Room = std::function<std::span<std::uint32_t>(std::uint64_t words)>;

    Reader(const std::string& path, const WordType& type, Room room)
        : path_(path), type_(type), room_(std::move(room)), file_(path)
    {
    }
    void limitPipeTo(std::uint64_t bytes) { file_.limitPipeTo(bytes); }
    void passOver(std::string_view firstLine) { passedOver_ = firstLine; }
    void saySoOfMore(std::string message) { tooMany_ = std::move(message); }  // more words than there is room for

    // Returns how many words there were.
    std::uint64_t read()
    {
        std::vector<char> block(blockBytes);
        std::size_t kept = 0;  // bytes of a word that the last block cut off
        for (bool end = false, first = true; !end; first = false) {
            const std::size_t filled = kept + file_.read(block.data() + kept, block.size() - kept);
            end = filled < block.size();
            const std::string_view text(block.data(), filled);
            const std::size_t complete = end ? filled : wholeWords(text);
            const std::size_t from = first ? firstLineLength(text.substr(0, complete)) : 0;
            place_.pass(text.substr(0, from));
            take(text.substr(from, complete - from));
            place_.pass(text.substr(from, complete - from));
            kept = filled - complete;
            std::copy_n(block.data() + complete, kept, block.data());
        }
        return seen_;
    }

    // The current place in the file; after read(), its end.
    std::string place() const { return place_.in(path_); }

private:
    // Length of the text up to its last white space: the words in it are whole.
    std::size_t wholeWords(std::string_view text) const
    {
        const auto last = std::find_if(text.rbegin(), text.rend(), isSpace);
        if (last == text.rend())
            throw UsageError(
                fmt::format("{}: {} and so on is not a number; correct it", place_.in(path_), quotedWord(text)));
        return static_cast<std::size_t>(text.rend() - last);
    }

    std::size_t firstLineLength(std::string_view text) const
    {
        const bool there = !passedOver_.empty() && text.starts_with(passedOver_);
        return there ? std::min(text.find('\n'), text.size()) : 0;
    }

    // Counts the words first, so that all cores know where their numbers belong.
    void take(std::string_view text)
    {
        std::vector<std::uint64_t> begins(ceilDiv(text.size(), parallelBlock) + 1);  // words before each part
        inParallel(text.size(), [&](std::uint64_t first, std::uint64_t end) {
            std::uint64_t count = 0;
            for (std::size_t at = first; at < end; ++at) count += wordBegins(text, at);
            begins[first / parallelBlock + 1] = count;
        });
        for (std::size_t i = 1; i < begins.size(); ++i) begins[i] += begins[i - 1];
        const std::span<std::uint32_t> words = room_(begins.back());

        std::vector<std::size_t> faults(begins.size(), std::string_view::npos);  // the first fault in each part
        inParallel(text.size(), [&](std::uint64_t first, std::uint64_t end) {
            std::uint64_t index = begins[first / parallelBlock];
            for (std::size_t at = first; at < end; ++at) {
                if (!wordBegins(text, at)) continue;
                const auto word = index < words.size() ? type_.parse(text, at) : std::nullopt;
                if (!word) {
                    faults[first / parallelBlock] = at;
                    return;
                }
                words[index++] = *word;
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
        if (!type_.parse(text, at)) throw UsageError(fmt::format("{}: {}", place.in(path_), type_.objection(word)));
        throw UsageError(fmt::format("{}: {}", place.in(path_), tooMany_));
    }

    std::string path_;
    WordType type_;
    Room room_;
    std::string_view passedOver_;
    std::string tooMany_;
    InputFile file_;
    TextPlace place_;  // where the next text begins
    std::uint64_t seen_ = 0;
};

}  // namespace

std::vector<std::uint32_t> readWords(const std::string& path, const WordType& type)
{
    std::vector<std::uint32_t> words;
    Reader(path, type, [&words](std::uint64_t more) {
        words.resize(words.size() + more);
        return std::span(words).last(more);
    }).read();
    return words;
}

void readWords(const std::string& path, const WordType& type, std::span<std::uint32_t> words,
               const std::string& sizeFile, std::string_view passedOver)
{
    std::uint64_t taken = 0;
    Reader reader(path, type, [&](std::uint64_t more) {
        const std::uint64_t here = std::min(more, words.size() - taken);
        taken += here;
        return words.subspan(taken - here, here);
    });
    constexpr std::uint64_t longest = 64, least = std::uint64_t{1} << 26;  // bytes: of one number; of the file
    reader.limitPipeTo(std::max(least, words.size() * longest));
    reader.passOver(passedOver);
    reader.saySoOfMore(
        fmt::format("a number more than the {} that {} says; correct one of the two files", words.size(), sizeFile));
    if (const std::uint64_t seen = reader.read(); seen < words.size())
        throw UsageError(fmt::format("{}: the file ends after {} numbers, and {} says {}; is it cut off?",
                                     reader.place(), seen, sizeFile, words.size()));
}

}  // namespace a2
