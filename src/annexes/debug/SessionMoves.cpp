// The commands of a2 debug that move, and those that set where to stop.

#include "annexes/debug/Session.h"

#include "a2/Error.h"
#include "lint/EmulatedFindings.h"

#include <fmt/format.h>

namespace a2::debug {

namespace {

std::uint64_t count(const std::string& words)
{
    const std::uint64_t lines = numberFrom(words, 1, "number of lines");
    if (lines == 0) throw UsageError("0 lines: name at least 1");
    return lines;
}

}  // namespace

std::optional<Way> Session::next(const View& view, Words words)
{
    if (words == "barrier" || words == "dispatch") return until(view, words);
    return moves_.next(view, count(words));
}

std::optional<Way> Session::step(const View& view, Words words) { return moves_.step(view, count(words)); }
std::optional<Way> Session::finish(const View& view, Words) { return moves_.finish(view); }
std::optional<Way> Session::goOn(const View&, Words) { return moves_.goOn(); }
std::optional<Way> Session::goBackTo(const View&, Words) { return moves_.goBack(); }
std::optional<Way> Session::restart(const View& view, Words) { return moves_.restart(view); }

std::optional<Way> Session::until(const View& view, Words words)
{
    if (words == "barrier") return moves_.toBarrier(view);
    if (words == "dispatch") return moves_.toDispatch(view);
    const auto line = wholeNumber(words);
    if (!line || *line > UINT32_MAX) throw UsageError("until barrier, until dispatch, or until LINE");
    view.needInvocation();
    const std::uint32_t coded = stops_.lineWithCode(underShaders(view.line().file), *line).second;
    if (coded != *line) answer_.say(fmt::format("until line {}, for line {} has no code\n", coded, *line));
    return moves_.toLine(view, coded);
}

std::optional<Way> Session::back(const View& view, Words words)
{
    if (words == "barrier") return moves_.backToBarrier(view);
    if (words == "dispatch") return moves_.backToDispatch(view);
    if (words == "breakpoint") return moves_.backToStop(view);
    if (words == "step") return moves_.back(view, 1, true);
    if (words == "0") throw UsageError("0 lines: name at least 1");
    return moves_.back(view, numberFrom(words, 1, "number of lines, barrier, dispatch, breakpoint or step"));
}

std::optional<Way> Session::why(const View& view, Words words)
{
    if (words.empty()) throw UsageError("why EXPRESSION: such as why partial[3]");
    return moves_.why(view, words);
}

std::optional<Way> Session::breakAt(const View& view, Words words)
{
    stops_.addBreakpoint(view, words, answer_);
    return {};
}

std::optional<Way> Session::watch(const View& view, Words words)
{
    stops_.addWatch(view, words, answer_);
    return {};
}

std::optional<Way> Session::remove(const View&, Words words)
{
    stops_.remove(words);
    return {};
}

std::optional<Way> Session::select(const View& view, Words words)
{
    view.needInvocation();
    const auto number = wholeNumber(words);
    if (!number || *number >= view.here().invocations())
        throw UsageError(
            fmt::format("switch INVOCATION: one of this work-group, from 0 to {}", view.here().invocations() - 1));
    moves_.select(static_cast<std::uint32_t>(*number));
    showStop(moves_.view(view.look), false);
    return {};
}

}  // namespace a2::debug
