// The source of a2 debug's commands: a file, a pipe or a terminal.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace a2::debug {

class CommandReader {
public:
    // file: its lines come before those of the standard input; empty: none. If there is one, and the standard input is
    // no terminal, its lines are the only ones. Throws EnvironmentError if it cannot be read. complete: the words that
    // begin in this way, for a terminal.
    CommandReader(const std::string& file, std::function<std::vector<std::string>(const std::string&)> complete);
    ~CommandReader();
    CommandReader(const CommandReader&) = delete;
    CommandReader& operator=(const CommandReader&) = delete;

    // Empty: there are no more.
    std::optional<std::string> next();
    bool isTyped() const { return typed_; }  // the last one was typed on a terminal, which shows it already
    // The place of the last one, as "FILE:3"; empty if it was typed or came through a pipe.
    std::string place() const;

private:
    class Editor;

    std::string file_;
    std::vector<std::string> lines_;
    std::size_t next_ = 0;
    bool typed_ = false, hasFile_ = false, fromFile_ = false;
    std::unique_ptr<Editor> editor_;  // null if lines are read plainly
};

}  // namespace a2::debug
