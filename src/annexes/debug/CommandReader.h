// Where the commands of a2 debug come from: a file, a pipe or a terminal.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2::debug {

class CommandReader {
public:
    // file: lines that come before those of the standard input; empty: none. Where there is one, and the standard input
    // is no terminal, nothing comes after it. Throws EnvironmentError where it cannot be read. complete: what a word
    // that begins so may become, for a terminal.
    CommandReader(const std::string& file, std::function<std::vector<std::string>(const std::string&)> complete);
    ~CommandReader();
    CommandReader(const CommandReader&) = delete;
    CommandReader& operator=(const CommandReader&) = delete;

    // Empty: there are no more.
    std::optional<std::string> next();
    bool isTyped() const { return typed_; }  // the last one was, on a terminal, where it stands already
    // Where the last one stood, as "FILE:3"; empty for one that was typed or came by a pipe.
    std::string place() const;

private:
    class Editor;

    std::string file_;
    std::vector<std::string> lines_;
    std::size_t next_ = 0;
    bool typed_ = false, hasFile_ = false, fromFile_ = false;
    std::unique_ptr<Editor> editor_;  // null where lines are read as they come
};

}  // namespace a2::debug
