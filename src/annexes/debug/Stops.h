// What stops a walk: breakpoints, watched words, and findings of the emulator.
#pragma once

#include "annexes/debug/Answer.h"
#include "annexes/debug/Expression.h"
#include "annexes/debug/View.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

class Stops {
public:
    explicit Stops(const Timeline& timeline) : timeline_(timeline) {}

    // At this line, or the next one that has code. file: under shaders/, with or without its extension. condition:
    // empty for none. message: for a log point, which does not stop but prints "sum is {sum}"; empty for a breakpoint.
    // Returns its number and line. Throws UsageError.
    std::pair<unsigned, std::uint32_t> addBreakpoint(const std::string& file, std::uint64_t line,
                                                     const std::string& condition, const std::string& message = "");
    void logTo(std::function<void(const std::string&)> log) { log_ = std::move(log); }  // gets a line each
    void removeBreakpoints(const std::string& file);
    unsigned addWatch(const View& view, const std::string& expression);  // returns its number; throws UsageError
    void removeWatches() { watches_.clear(); }
    void stopAtFindings(bool yes) { findings_ = yes; }

    // words: the text after the commands `break`, `watch` and `delete`. Throw UsageError.
    void addBreakpoint(const View& view, const std::string& words, Answer& answer);
    void addWatch(const View& view, const std::string& words, Answer& answer);
    void remove(const std::string& words);

    enum class Kind { breakpoint, change, finding };
    struct Found {
        Kind kind = Kind::breakpoint;
        std::string why;                               // lines
        bool before = false;                           // the line before caused it
        std::optional<std::uint32_t> invocation = {};  // the one concerned, of the work-group at work
    };
    // Whether there is a reason to stop. alone: only at breakpoints of this invocation.
    std::optional<Found> at(const Look& look, const std::optional<Selected>& alone);
    bool isBreakpoint(const Look& look) { return !look.event.isEnd && !look.event.isAgain && breakpoint(look, false); }
    // The walk has leapt to this place: watched words are compared from here on.
    void goOnFrom(const Look& look);
    // This line, or the next one that has code, in a file of this name, with or without its folder. Throws UsageError.
    std::pair<std::string, std::uint32_t> lineWithCode(const std::string& file, std::uint64_t line) const;
    // "A2Task1Sequential.comp", 21; empty for the end of a dispatch.
    std::pair<std::string, std::uint32_t> lineOf(const Look& look);

private:
    struct MessagePart {
        std::string text;
        std::optional<Expression> value;  // after the text
    };
    struct Breakpoint {
        unsigned number = 0;
        std::string file;
        std::uint32_t line = 0;
        std::optional<Expression> condition;
        std::vector<MessagePart> message;  // of a log point
    };
    struct Watch {
        Expression expression;
        unsigned number = 0;
        std::optional<emulator::Whereabouts> where = {};  // empty: it has no meaning at present
        emulator::SpotNumber as = {};
        std::uint32_t dispatch = 0, invocation = 0;
        std::uint64_t group = 0;
        std::optional<emulator::SpotNumber> last = {};
    };

    void resolve(Watch& watch, const Look& look) const;
    void list(Answer& answer) const;
    std::optional<Found> finding(const Look& look);
    std::optional<Found> change(const Look& look);
    static std::vector<MessagePart> messageOf(const std::string& text);
    std::optional<Found> breakpoint(const Look& look, bool logs);
    void log(const Breakpoint& one, const Look& look) const;

    const Timeline& timeline_;
    std::function<void(const std::string&)> log_ = [](const std::string&) {};
    std::vector<Breakpoint> breakpoints_;
    std::vector<Watch> watches_;
    bool findings_ = true;               // stop at them
    std::uint64_t passed_ = UINT64_MAX;  // the event before which it last stopped
    unsigned numbers_ = 0;               // so far
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::string, std::uint32_t>> lines_;
};

// "partial[3]: 1 -> 3"
std::string changeText(const std::string& name, const emulator::SpotNumber& before, const emulator::SpotNumber& after);
// The place of an expression's number. Throws UsageError if it is no single number that can be written.
std::pair<emulator::Whereabouts, emulator::SpotNumber> placeOf(const View& view, const std::string& expression);

}  // namespace a2::debug
