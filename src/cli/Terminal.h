// What goes to stderr: notes, and one line of progress on a terminal.
#pragma once

#include <string>

namespace a2 {

class Terminal {
public:
    Terminal(bool quiet, bool verbose) : quiet_(quiet), verbose_(verbose) {}
    ~Terminal() { clearProgress(); }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // "a2: text" on stderr, unless --quiet.
    void note(const std::string& text);
    // Replaces the progress line; only where stderr is a terminal, and at most ten times a second.
    void progress(const std::string& text);
    // Before anything else is printed.
    void clearProgress();

    bool verbose() const { return verbose_; }

private:
    bool quiet_, verbose_;
    bool shown_ = false;
    double lastShown_ = -1;  // seconds
};

bool stdoutIsTerminal();

// Before anything is printed. On Windows: what is printed stays byte for byte what it is, and a console takes UTF-8
// and the escape sequences of progress and colour.
void prepareStreams();

// A line on stderr. Where that is closed or full the line is lost, and that changes nothing else.
void printError(const std::string& line);

// Before any file is opened: one must not get the number of a standard stream that is closed. Writing to such a stream
// stays an error.
void occupyClosedStreams();

}  // namespace a2
