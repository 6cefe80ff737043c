// The user's output: notes and one line of progress on stderr, texts on stdout.
#pragma once

#include <functional>
#include <string>

namespace a2 {

class Terminal {
public:
    // forward: gets all output instead, with the name of the function, so that another process can show it.
    using Forward = std::function<void(const char* what, const std::string& text)>;
    static Forward toNobody()
    {
        return [](const char*, const std::string&) {};
    }
    Terminal(bool quiet, bool verbose, Forward forward = {})
        : quiet_(quiet), verbose_(verbose), forward_(std::move(forward))
    {
    }
    ~Terminal() { clearProgress(); }
    Terminal(const Terminal&) = delete;
    Terminal& operator=(const Terminal&) = delete;

    // "a2: text" on stderr, unless --quiet.
    void note(const std::string& text);
    // Replaces the progress line; only if stderr is a terminal, and at most ten times a second.
    void progress(const std::string& text);
    // Text on stdout, at once and after the text that is on stderr.
    void print(const std::string& text);
    // Call it before anything else is printed.
    void clearProgress();

    bool verbose() const { return verbose_; }

private:
    bool quiet_, verbose_;
    Forward forward_;
    bool shown_ = false;
    double lastShown_ = -1;  // seconds
};

bool stdoutIsTerminal();
bool stderrIsTerminal();

// A line on stderr. If that is closed or full the line is lost, without further effect.
void printError(const std::string& line);

// Call it before anything is printed or opened. On Windows: output is written byte for byte, and the console accepts
// UTF-8 and the escape sequences of progress and colour. Elsewhere: no file gets the number of a standard stream that
// is closed, and writing to that stream stays an error.
void prepareStreams();

}  // namespace a2
