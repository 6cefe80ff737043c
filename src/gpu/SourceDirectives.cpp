#include "gpu/SourceDirectives.h"

#include "a2/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

namespace a2 {

namespace {

// Limits for one text. If a text can be read in several ways, its possible directives overlap: without these limits the
// time grows with the square of its length.
constexpr std::size_t mostDirectives = 4096;
constexpr std::size_t mostBlank = 4096;  // characters of white space and comments between two words of a directive
constexpr std::size_t mostName = 1024;   // characters of a file's name
constexpr std::size_t mostLine = 8192;   // characters after #line
constexpr std::size_t mostShown = 80;    // characters of a name in a message

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f'; }
bool isEnd(char c) { return c == '\n' || c == '\r'; }
bool isWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// A text as a preprocessor reads it: lines joined by a backslash are one line, comments are a space.
struct Plain {
    std::string text;
    std::vector<std::size_t> at;  // for each character: its position in the source
    bool doubtful = false;        // a backslash is in a string, or at the end of a comment's line

    void add(char c, std::size_t from)
    {
        text += c;
        at.push_back(from);
    }
};

// Length of a line continuation that begins here: a backslash and the line's end.
std::size_t continues(const std::string& text, std::size_t i)
{
    if (text[i] != '\\' || i + 1 >= text.size() || !isEnd(text[i + 1])) return 0;
    return text[i + 1] == '\r' && i + 2 < text.size() && text[i + 2] == '\n' ? 3 : 2;
}

Plain withoutSplices(const std::string& text)
{
    Plain plain;
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t splice = continues(text, i);
        if (splice == 0) plain.add(text[i], i);
        i += std::max<std::size_t>(splice, 1);
    }
    return plain;
}

Plain plainOf(const std::string& source)
{
    const Plain lines = withoutSplices(source);
    const std::string& text = lines.text;
    Plain plain;
    const auto isSpliced = [&](std::size_t i) { return i > 0 && lines.at[i] != lines.at[i - 1] + 1; };
    for (std::size_t i = 0; i < text.size();) {
        const std::string_view rest = std::string_view(text).substr(i);
        if (rest.starts_with("//")) {
            for (; i < text.size() && !isEnd(text[i]); ++i) plain.doubtful = plain.doubtful || isSpliced(i);
            plain.doubtful = plain.doubtful || (i < text.size() && isSpliced(i));
        } else if (rest.starts_with("/*")) {
            plain.add(' ', lines.at[i]);
            const std::size_t end = text.find("*/", i + 2);
            i = end == std::string::npos ? text.size() : end + 2;
        } else if (text[i] == '"') {
            do {
                plain.doubtful = plain.doubtful || text[i] == '\\' || isSpliced(i);
                plain.add(text[i], lines.at[i]);
                ++i;
            } while (i < text.size() && text[i] != '"' && !isEnd(text[i]));
            if (i < text.size() && text[i] == '"') {
                plain.add('"', lines.at[i]);
                ++i;
            }
        } else {
            plain.add(text[i], lines.at[i]);
            ++i;
        }
    }
    return plain;
}

// Whether a path in a directive stays in its folder.
bool staysInside(const std::string& name)
{
    if (name.empty() || name.front() == '/') return false;
    if (name.find_first_of("\\:") != std::string::npos) return false;
    if (std::any_of(name.begin(), name.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; })) return false;
    for (std::size_t from = 0; from <= name.size();) {
        const std::size_t end = std::min(name.find('/', from), name.size());
        if (name.substr(from, end - from) == "..") return false;
        from = end + 1;
    }
    return true;
}

class DirectiveReader {
public:
    DirectiveReader(const std::string& source, const std::string& folder) : source_(source), folder_(folder)
    {
        for (std::size_t i = 0; i < source.size(); ++i)
            if (endsLine(i)) lineEnds_.push_back(i);
    }

    SourceDirectives read()
    {
        Plain plain = plainOf(source_);
        if (plain.doubtful) {
            // Reads it both ways, without distinguishing comments and strings.
            readAnywhere(withoutSplices(source_));
            plain = Plain();
            for (std::size_t i = 0; i < source_.size(); ++i) plain.add(source_[i], i);
            readAnywhere(plain);
        } else {
            readLines(plain);
        }
        std::size_t done = 0;
        for (const auto& [from, change] : changes_) {
            if (from < done) throw KernelError("two of its directives stand in the same place");
            result_.text.append(source_, done, from - done);
            result_.text += change.text;
            done = from + change.length;
        }
        result_.text.append(source_, done);
        return std::move(result_);
    }

private:
    struct Change {
        std::size_t length;
        std::string text;
    };

    void readLines(const Plain& plain)
    {
        for (std::size_t i = 0; i < plain.text.size();) {
            std::size_t first = i;
            while (first < plain.text.size() && isBlank(plain.text[first])) ++first;
            if (first < plain.text.size() && plain.text[first] == '#') directive(plain, first, false);
            while (i < plain.text.size() && !isEnd(plain.text[i])) ++i;
            ++i;
        }
    }

    void readAnywhere(const Plain& plain)
    {
        for (std::size_t i = plain.text.find('#'); i != std::string::npos; i = plain.text.find('#', i + 1))
            directive(plain, i, true);
    }

    // The position after white space, and after comments where the text still has them.
    std::size_t skip(const Plain& plain, std::size_t i) const
    {
        const std::size_t first = i;
        const std::string_view text = std::string_view(plain.text).substr(0, first + mostBlank);
        const auto longer = [&] {
            return KernelError(
                fmt::format("line {}: more than {} characters of white space and comments stand in what may "
                            "be a directive: write it in one line",
                            lineOf(plain.at[first - 1]), mostBlank));
        };
        for (;;) {
            while (i < text.size() && isBlank(text[i])) ++i;
            if (i == text.size() && text.size() < plain.text.size()) throw longer();
            if (text.substr(i, 2) != "/*") return i;
            const std::size_t end = text.find("*/", i + 2);
            if (end == std::string::npos && text.size() < plain.text.size()) throw longer();
            if (end == std::string::npos) return text.size();
            i = end + 2;
        }
    }

    void count()
    {
        if (++directives_ > mostDirectives)
            throw KernelError(fmt::format("it may have more than {} #include and #line", mostDirectives));
    }

    void directive(const Plain& plain, std::size_t hash, bool doubtful)
    {
        const std::string& text = plain.text;
        const std::size_t word = skip(plain, hash + 1);
        std::size_t behind = word;
        while (behind < text.size() && isWord(text[behind])) ++behind;
        const std::string_view name = std::string_view(text).substr(word, behind - word);
        if (name != "include" && name != "line") return;
        count();
        if (name == "include") include(plain, word, skip(plain, behind));
        if (name == "line") line(plain, word, skip(plain, behind), doubtful);
    }

    void include(const Plain& plain, std::size_t word, std::size_t at)
    {
        const std::string& text = plain.text;
        if (at >= text.size() || (text[at] != '"' && text[at] != '<')) return;  // the compiler will report it
        const char last = text[at] == '"' ? '"' : '>';
        std::size_t end = at + 1;
        while (end < text.size() && end - at <= mostName + 1 && text[end] != last && !isEnd(text[end])) ++end;
        const std::string name = text.substr(at + 1, end - at - 1);
        if (name.size() <= mostName && staysInside(name))
            result_.includes.push_back(name);
        else
            refuse(
                plain, word, 7,
                fmt::format("#include names '{}', which is outside of the kernel's folder and of shaders/include: name "
                            "a file there, from that folder on",
                            shown(name)));
    }

    static std::string shown(const std::string& name)
    {
        return name.size() <= mostShown ? name : name.substr(0, mostShown) + "...";
    }

    void line(const Plain& plain, std::size_t word, std::size_t at, bool doubtful)
    {
        const std::string& text = plain.text;
        std::size_t end = at;
        while (end < text.size() && end - at <= mostLine && !isEnd(text[end])) ++end;
        const bool tooLong = end - at > mostLine;
        const std::string rest = text.substr(at, end - at);
        const std::size_t quote = rest.find('"'), last = rest.rfind('"');
        const auto isNumber = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0 || isBlank(c); };
        const std::string before = rest.substr(0, std::min(quote, rest.size()));
        const bool plainNumber = !tooLong && std::all_of(before.begin(), before.end(), isNumber);
        if (plainNumber && quote == std::string::npos) return;
        const std::string name =
            quote < last && last != std::string::npos ? rest.substr(quote + 1, last - quote - 1) : "";
        const std::size_t from = plain.at[at] + quote + 1;
        const bool simple = plainNumber && !doubtful && staysInside(name) && name.find('"') == std::string::npos &&
                            source_.compare(from, name.size(), name) == 0;
        if (simple)
            changes_[from] = {0, folder_ + "/"};
        else
            refuse(plain, word, 4,
                   plainNumber ? fmt::format("#line names '{}', which is outside of the kernel's folder and of "
                                             "shaders/include: name a file there, from that folder on",
                                             shown(name))
                               : "#line is followed by what is no number: write #line NUMBER \"FILE\"");
    }

    // Replaces `include` or `line` by `error`: this is an error unless a condition leaves the line out.
    void refuse(const Plain& plain, std::size_t word, std::size_t length, const std::string& what)
    {
        const std::size_t from = plain.at[word], last = plain.at[word + length - 1];
        changes_[from] = {last + 1 - from, std::string("error") + ends(from, last)};
        result_.refused[lineOf(from)] = what;
    }

    bool endsLine(std::size_t i) const
    {
        return source_[i] == '\n' || (source_[i] == '\r' && (i + 1 == source_.size() || source_[i + 1] != '\n'));
    }

    std::size_t lineEndsBefore(std::size_t place) const
    {
        return static_cast<std::size_t>(std::lower_bound(lineEnds_.begin(), lineEnds_.end(), place) -
                                        lineEnds_.begin());
    }

    std::size_t lineOf(std::size_t place) const { return 1 + lineEndsBefore(place); }

    // The line continuations inside a word that is replaced.
    std::string ends(std::size_t from, std::size_t last) const
    {
        std::string all;
        for (std::size_t i = lineEndsBefore(last) - lineEndsBefore(from); i > 0; --i) all += " \\\n";
        return all;
    }

    const std::string& source_;
    const std::string& folder_;
    std::vector<std::size_t> lineEnds_;  // their positions in the source
    std::size_t directives_ = 0;
    std::map<std::size_t, Change> changes_;  // by position in the source
    SourceDirectives result_;
};

}  // namespace

SourceDirectives readDirectives(const std::string& text, const std::string& folder)
{
    return DirectiveReader(text, folder).read();
}

}  // namespace a2
