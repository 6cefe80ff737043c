#include "annexes/debug/CommandReader.h"

#include "a2/Error.h"
#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <uv.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <system_error>

namespace a2::debug {

namespace {

constexpr const char* prompt = "(a2) ";
constexpr std::size_t longestFile = std::size_t{1} << 20;  // of commands

}  // namespace

// libedit, loaded if it is installed: lines can be edited, and earlier ones recalled. Without it, lines are typed
// plainly.
class CommandReader::Editor {
public:
    explicit Editor(std::function<std::vector<std::string>(const std::string&)> complete)
    {
        complete_ = std::move(complete);
        for (const char* name : {"libedit.so.2", "libedit.3.dylib", "libedit.so.0"})
            if (uv_dlopen(name, &library_) == 0) {
                open_ = true;
                break;
            } else {
                uv_dlclose(&library_);
            }
        find("readline", read_);
        find("add_history", remember_);
        find("rl_completion_matches", matches_);
        char** (**attempted)(const char*, int, int) = nullptr;
        find("rl_attempted_completion_function", attempted);
        if (attempted && matches_) *attempted = &attempt;
    }
    ~Editor()
    {
        if (open_) uv_dlclose(&library_);
        complete_ = {};
    }
    Editor(const Editor&) = delete;
    Editor& operator=(const Editor&) = delete;

    bool isThere() const { return read_ && remember_; }
    std::optional<std::string> line() const
    {
        char* const typed = read_(prompt);
        if (!typed) return {};
        std::string text = typed;
        if (!text.empty()) remember_(typed);
        std::free(typed);  // NOLINT: memory of a C library
        return text;
    }

private:
    using Generator = char* (*)(const char*, int);

    template <class Function>
    void find(const char* name, Function& function)
    {
        void* symbol = nullptr;
        if (open_ && uv_dlsym(&library_, name, &symbol) == 0) std::memcpy(&function, &symbol, sizeof symbol);
    }

    // In that library's form: one word per call, in memory that it frees.
    static char* generate(const char* text, int state)
    {
        if (state == 0) {
            found_ = complete_(text);
            at_ = 0;
        }
        if (at_ >= found_.size()) return nullptr;
        const std::string& one = found_[at_++];
        auto* const copy = static_cast<char*>(std::malloc(one.size() + 1));  // NOLINT
        if (copy) std::memcpy(copy, one.c_str(), one.size() + 1);
        return copy;
    }
    static char** attempt(const char* text, int, int) { return matches_(text, &generate); }

    uv_lib_t library_{};
    bool open_ = false;
    char* (*read_)(const char*) = nullptr;
    int (*remember_)(const char*) = nullptr;
    inline static char** (*matches_)(const char*, Generator) = nullptr;
    inline static std::function<std::vector<std::string>(const std::string&)> complete_;
    inline static std::vector<std::string> found_;
    inline static std::size_t at_ = 0;
};

CommandReader::CommandReader(const std::string& file,
                             std::function<std::vector<std::string>(const std::string&)> complete)
    : file_(file), hasFile_(!file.empty())
{
    const bool terminal = uv_guess_handle(0) == UV_TTY;
    if (hasFile_) {
        std::ifstream stream(pathOf(file), std::ios::binary);
        std::string text(longestFile + 1, '\0');
        stream.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(stream.gcount()));
        std::error_code error;
        const bool folder = std::filesystem::is_directory(pathOf(file), error);
        const bool isLong = text.size() > longestFile;
        if (folder || isLong || !stream.eof())
            throw EnvironmentError(fmt::format("-x {}: {}", file,
                                               folder   ? "that is a folder"
                                               : isLong ? "there is more than a file of commands has"
                                                        : "the file cannot be read"));
        constexpr std::string_view mark = "\xEF\xBB\xBF";  // an editor may have put it first
        std::istringstream lines(text.starts_with(mark) ? text.substr(mark.size()) : text);
        for (std::string line; std::getline(lines, line);) lines_.push_back(line);
    }
    typed_ = terminal;
    if (!terminal || uv_guess_handle(1) != UV_TTY) return;
    editor_ = std::make_unique<Editor>(std::move(complete));
    if (!editor_->isThere()) editor_.reset();
}
CommandReader::~CommandReader() = default;

std::optional<std::string> CommandReader::next()
{
    fromFile_ = next_ < lines_.size();
    if (fromFile_) {
        typed_ = false;
        return lines_[next_++];
    }
    const bool terminal = uv_guess_handle(0) == UV_TTY;
    if (hasFile_ && !terminal) return {};
    typed_ = terminal;
    if (editor_) return editor_->line();
    if (terminal) fmt::print("{}", prompt);
    std::fflush(stdout);
    std::string line;
    if (!std::getline(std::cin, line)) return {};
    return line;
}

std::string CommandReader::place() const { return fromFile_ ? fmt::format("{}:{}", file_, next_) : ""; }

}  // namespace a2::debug
