// The dialogue of a2 debug: commands and answers.
#pragma once

#include "annexes/debug/Answer.h"
#include "annexes/debug/CommandReader.h"
#include "annexes/debug/Moves.h"
#include "annexes/debug/PrintedLines.h"
#include "annexes/debug/Stops.h"
#include "annexes/debug/View.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

struct SessionSettings {
    std::string commandFile;  // of -x; empty: none
    bool json = false;        // each answer is a line of JSON
    std::string head;         // the run, and what is wrong with it: lines
};

class Session {
public:
    Session(Timeline& timeline, const SessionSettings& settings);

    // Runs until its end. False: a command that was not typed at a terminal was wrong, or nothing could be walked.
    bool run();

private:
    using Words = const std::string&;  // the text after a command
    struct Command {
        const char* name;
        const char* words;    // the arguments
        const char* meaning;  // in a line
        // One of the two is set: it moves, or it shows something.
        std::optional<Way> (Session::*go)(const View& view, Words words) = nullptr;
        void (*show)(const View& view, Words words, Answer& answer) = nullptr;
        bool onward = false;  // not allowed at the run's end
    };
    static const std::vector<Command>& commands();
    static const Command& commandOf(const std::string& name);

    Way lookAt(const Look& look);
    void showStop(const View& view, bool arrived = true);
    std::optional<Way> answer(const View& view, const std::string& line);
    void refuse(const std::string& line, const std::string& why);
    std::vector<std::string> completions(const std::string& begun) const;

    // Commands that move, or change where to stop.
    std::optional<Way> next(const View& view, Words words);
    std::optional<Way> step(const View& view, Words words);
    std::optional<Way> finish(const View& view, Words words);
    std::optional<Way> goOn(const View& view, Words words);
    std::optional<Way> until(const View& view, Words words);
    std::optional<Way> back(const View& view, Words words);
    std::optional<Way> goBackTo(const View& view, Words words);
    std::optional<Way> restart(const View& view, Words words);
    std::optional<Way> why(const View& view, Words words);
    std::optional<Way> breakAt(const View& view, Words words);
    std::optional<Way> watch(const View& view, Words words);
    std::optional<Way> remove(const View& view, Words words);
    std::optional<Way> select(const View& view, Words words);
    std::optional<Way> help(const View& view, Words words);
    std::optional<Way> quit(const View& view, Words words);

    Timeline& timeline_;
    Answer answer_;
    Stops stops_;
    CommandReader reader_;
    std::string head_;
    bool fine_ = true, quit_ = false;
    PrintedLines printed_{200, [this](const std::string& line) { answer_.say(line); }};

    Moves moves_;
    std::string last_;                    // the command that an empty line repeats
    std::string asked_;                   // the command that led here
    std::string shownHead_, shownPlace_;  // the last ones shown
    std::vector<std::string> names_;      // for completion
};

}  // namespace a2::debug
