#include "annexes/debug/Session.h"

#include "a2/Error.h"
#include "annexes/debug/Looks.h"
#include "base/PrintableText.h"
#include "cli/Terminal.h"
#include "lint/EmulatedFindings.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <map>
#include <sstream>
#include <utility>

namespace a2::debug {

using emulator::Standing;

namespace {

volatile std::sig_atomic_t interrupted = 0;

extern "C" void noteInterrupt(int) { interrupted = 1; }

// While it lives, Ctrl-C stops a walk, not the program.
class CatchInterrupt {
public:
    CatchInterrupt() : before_(std::signal(SIGINT, noteInterrupt)) {}
    ~CatchInterrupt() { std::signal(SIGINT, before_); }
    CatchInterrupt(const CatchInterrupt&) = delete;
    CatchInterrupt& operator=(const CatchInterrupt&) = delete;

private:
    void (*before_)(int);
};

bool wasInterrupted() { return interrupted != 0; }

}  // namespace

Session::Session(Timeline& timeline, const SessionSettings& settings)
    : timeline_(timeline),
      answer_(settings.json),
      stops_(timeline),
      reader_(settings.commandFile, [this](const std::string& begun) { return completions(begun); }),
      head_(settings.head),
      moves_(timeline, stops_, wasInterrupted)
{
}

bool Session::run()
{
    const CatchInterrupt caught;
    answer_.say(head_);
    const std::string ended = timeline_.walk(
        [this](const Look& look) { return lookAt(look); },
        [this](const EmulatorSettings::Printed& one, std::uint32_t dispatch) { printed_.add(one, dispatch); });
    if (quit_) return fine_;
    answer_.say(fmt::format("nothing of this run can be walked through{}{}\n", ended.empty() ? "" : ": ", ended));
    answer_.flush("", false);
    return false;
}

void Session::showStop(const View& view, bool arrived)
{
    const Event& event = view.look.event;
    std::istringstream lines(arrived ? moves_.why() : "");
    for (std::string line; std::getline(lines, line);) answer_.say(wrapped(line, 0, lineColumns));
    if (arrived && !moves_.why().empty()) answer_.tell("why", trimmed(moves_.why()));
    if (event.isEnd) {
        answer_.say(view.look.runEnded ? "the run has ended: 'buffer', 'why' and 'back' look at it\n"
                                       : fmt::format("dispatch {} has ended\n", event.dispatch));
        shownHead_.clear();
        answer_.tell("stop", {{"event", view.look.number}, {"dispatch", event.dispatch}, {"end", true}});
        return;
    }
    if (view.head() != shownHead_) answer_.say(wrapped(view.head(), 0, lineColumns));
    shownHead_ = view.head();
    const KernelLine line = view.line();
    const auto frames = view.here().frames(view.selected.invocation);
    const std::string place = fmt::format("{}() at shaders/{}", frames.front().function, underShaders(line.file));
    if (view.here().state(view.selected.invocation) == Standing::State::notStarted) {
        answer_.say("  it has not started\n");
        return;
    }
    if (place != shownPlace_ && !(shownPlace_.empty() && frames.size() == 1)) answer_.say("  " + place + "\n");
    shownPlace_ = place;
    answer_.say(wrapped(fmt::format("{:>4}  {}", line.line, view.textOf(line)), 0, lineColumns, 8));
    answer_.tell("stop", {{"event", view.look.number},
                          {"dispatch", event.dispatch},
                          {"end", false},
                          {"group", view.selected.group},
                          {"invocation", view.selected.invocation},
                          {"phase", event.phase},
                          {"file", underShaders(line.file)},
                          {"line", line.line},
                          {"source", view.textOf(line)}});
}

Way Session::lookAt(const Look& look)
{
    if (auto way = moves_.arrive(look)) return *way;
    printed_.end();
    showStop(moves_.view(look));
    names_.clear();
    const Standing::Names names = look.here.names(moves_.view(look).invocation());
    for (const auto* some : {&names.locals, &names.shared, &names.buffers, &names.others})
        names_.insert(names_.end(), some->begin(), some->end());
    answer_.flush(asked_, true);
    while (true) {
        interrupted = 0;
        const auto typed = reader_.next();
        if (!typed && wasInterrupted()) {  // only the line is discarded
            answer_.say("\n");
            answer_.flush("", true);
            continue;
        }
        if (!typed) {
            if (reader_.isTyped()) fmt::print("\n");
            quit_ = true;
            return {};
        }
        std::string line = trimmed(printableText(typed->substr(0, typed->find('#'))));
        if (line.empty() && reader_.isTyped()) line = last_;
        if (line.empty()) continue;
        last_ = line;
        if (!reader_.isTyped() && !answer_.isJson()) answer_.say("(a2) " + line + "\n");
        try {
            if (auto way = answer(moves_.view(look), line)) {
                asked_ = line;
                return *way;
            }
            answer_.flush(line, true);
        } catch (const UsageError& error) {
            refuse(line, printableText(error.what()));
        }
    }
}

void Session::refuse(const std::string& line, const std::string& why)
{
    const std::string place = reader_.place();
    if (!reader_.isTyped()) fine_ = false;
    answer_.tell("error", why);
    answer_.flush(line, false);
    if (!answer_.isJson() || !place.empty())
        printError(fmt::format("a2: error: {}{}{}", place, place.empty() ? "" : ": ", why));
}

std::optional<Way> Session::answer(const View& view, const std::string& line)
{
    const auto [name, words] = firstWord(line);
    const Command& command = commandOf(name);
    if (!*command.words && !words.empty())
        throw UsageError(fmt::format("nothing comes after '{}', and '{}' does", command.name, words));
    if (view.look.runEnded && command.onward) {
        answer_.say("the run has ended: 'back', 'why' and 'restart' lead to earlier lines\n");
        return {};
    }
    if (command.go) return (this->*command.go)(view, words);
    command.show(view, words, answer_);
    return {};
}

std::optional<Way> Session::help(const View&, Words words)
{
    const auto called = [](const Command& one) {
        return fmt::format("{}{}{}", one.name, *one.words ? " " : "", one.words);
    };
    if (!words.empty()) {
        const Command& one = commandOf(words);
        answer_.say(fmt::format("  {}\n      {}\n", called(one), one.meaning));
        return {};
    }
    for (const Command& one : commands()) answer_.say(fmt::format("  {:<34} {}\n", called(one), one.meaning));
    answer_.say("The first letters of a command do; an empty line repeats the last one.\n");
    return {};
}

std::optional<Way> Session::quit(const View&, Words)
{
    quit_ = true;
    return Way{};
}

const std::vector<Session::Command>& Session::commands()
{
    // A shortened name means the first command that begins with it.
    static const std::vector<Command> all = {
        {"next", "[LINES|barrier|dispatch]", "this invocation's next line, over calls", &Session::next, nullptr, true},
        {"step", "[LINES]", "the same, into calls", &Session::step, nullptr, true},
        {"finish", "", "out of this function", &Session::finish, nullptr, true},
        {"continue", "", "to a breakpoint, a finding or the end", &Session::goOn, nullptr, true},
        {"until", "barrier|dispatch|LINE", "this invocation's first line after it", &Session::until, nullptr, true},
        {"back", "[LINES|barrier|dispatch|...]", "an earlier line; also: breakpoint, step", &Session::back},
        {"why", "EXPRESSION", "back to the last line that changed it", &Session::why},
        {"return", "", "to where back or why was typed", &Session::goBackTo},
        {"restart", "", "the run's first line", &Session::restart},
        {"break", "[[FILE:]LINE [if CONDITION]]", "stop there; alone: the list", &Session::breakAt},
        {"watch", "EXPRESSION", "stop where it changes", &Session::watch},
        {"delete", "[NUMBER]", "forget such a place, or all", &Session::remove},
        {"print", "EXPRESSION", "names, a[i], s.m, and operators on numbers", nullptr, looks::print},
        {"locals", "", "this invocation's variables", nullptr, looks::locals},
        {"invocations", "[ROWS]", "where each invocation of the work-group stands", nullptr, looks::invocations},
        {"switch", "INVOCATION", "look from another one", &Session::select},
        {"shared", "[NAME]", "the work-group's shared memory", nullptr, looks::shared},
        {"buffer", "[NAME [FIRST [COUNT]]]", "its elements; alone: the names", nullptr, looks::buffer},
        {"list", "[LINE]", "the kernel's text", nullptr, looks::list},
        {"where", "", "dispatch, work-group, calls", nullptr, looks::where},
        {"help", "[COMMAND]", "this", &Session::help},
        {"quit", "", "end", &Session::quit}};
    return all;
}

const Session::Command& Session::commandOf(const std::string& name)
{
    // As in other debuggers.
    static const std::map<std::string, std::string> shorter = {{"b", "break"}, {"s", "step"},  {"r", "restart"},
                                                               {"w", "where"}, {"l", "list"},  {"h", "help"},
                                                               {"q", "quit"},  {"bt", "where"}};
    const auto found = shorter.find(name);
    const std::string& wanted = found == shorter.end() ? name : found->second;
    for (const Command& one : commands())
        if (std::string(one.name).rfind(wanted, 0) == 0) return one;
    throw UsageError(fmt::format("'{}' is no command: 'help' lists them", name));
}

std::vector<std::string> Session::completions(const std::string& begun) const
{
    std::vector<std::string> all;
    for (const Command& one : commands()) all.emplace_back(one.name);
    all.insert(all.end(), names_.begin(), names_.end());
    std::erase_if(all, [&](const std::string& one) { return one.rfind(begun, 0) != 0; });
    return all;
}

}  // namespace a2::debug
