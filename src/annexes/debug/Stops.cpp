#include "annexes/debug/Stops.h"

#include "a2/Error.h"
#include "annexes/debug/ValueText.h"
#include "base/PrintableText.h"
#include "lint/EmulatedFindings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

namespace a2::debug {

std::string changeText(const std::string& name, const emulator::SpotNumber& before, const emulator::SpotNumber& after)
{
    return fmt::format("{}: {} -> {}", name, numberText(before), numberText(after));
}

std::pair<emulator::Whereabouts, emulator::SpotNumber> placeOf(const View& view, const std::string& expression)
{
    const Value value = Expression(expression).value(view.scope());
    const emulator::SpotNumber number = numberOf(value, view.here(), expression);
    const auto where = value.spot ? view.here().whereabouts(*value.spot) : std::nullopt;
    if (!where) throw UsageError(fmt::format("{} is nothing that a kernel writes to", expression));
    return {*where, number};
}

std::pair<std::string, std::uint32_t> Stops::lineOf(const Look& look)
{
    if (look.event.isEnd) return {};
    const auto [found, isNew] = lines_.try_emplace({look.event.dispatch, look.event.place});
    if (isNew) {
        const KernelLine line = look.here.line(look.event.place);
        found->second = {underShaders(line.file), line.line};
    }
    return found->second;
}

void Stops::list(Answer& answer) const
{
    for (const Breakpoint& one : breakpoints_)
        answer.say(fmt::format("{:>3}  break shaders/{}:{}{}\n", one.number, one.file, one.line,
                               one.condition ? " if " + one.condition->text() : ""));
    for (const Watch& one : watches_) answer.say(fmt::format("{:>3}  watch {}\n", one.number, one.expression.text()));
    if (breakpoints_.empty() && watches_.empty())
        answer.say("none: break LINE, break LINE if CONDITION, break FILE:LINE, watch EXPRESSION\n");
}

std::pair<std::string, std::uint32_t> Stops::lineWithCode(const std::string& file, std::uint64_t line) const
{
    std::pair<std::string, std::uint32_t> found;
    std::set<std::string> files;
    for (const KernelLine& one : timeline_.lines()) {
        const std::string name = underShaders(one.file), last = name.substr(name.find_last_of('/') + 1);
        files.insert(name);
        if ((name != file && last != file && name != file + ".comp") || one.line < line) continue;
        if (found.second == 0 || one.line < found.second) found = {name, one.line};
    }
    if (found.second == 0)
        throw UsageError(
            fmt::format("{}:{}: no line with code of this run's kernels is there or after it; they are in {}", file,
                        line, fmt::join(files, ", ")));
    return found;
}

std::pair<unsigned, std::uint32_t> Stops::addBreakpoint(const std::string& file, std::uint64_t line,
                                                        const std::string& condition, const std::string& message)
{
    Breakpoint made;
    std::tie(made.file, made.line) = lineWithCode(file, line);
    if (!condition.empty()) made.condition.emplace(condition);
    made.message = messageOf(message);
    made.number = ++numbers_;
    breakpoints_.push_back(std::move(made));
    return {breakpoints_.back().number, breakpoints_.back().line};
}

std::vector<Stops::MessagePart> Stops::messageOf(const std::string& text)
{
    std::vector<MessagePart> parts;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t open = std::min(text.find('{', at), text.size());
        parts.push_back({text.substr(at, open - at), std::nullopt});
        if (open == text.size()) break;
        const std::size_t close = text.find('}', open);
        if (close == std::string::npos) throw UsageError(fmt::format("'{}' has a {{ without its }}", text));
        parts.back().value.emplace(text.substr(open + 1, close - open - 1));
        at = close + 1;
    }
    return parts;
}

void Stops::log(const Breakpoint& one, const Look& look) const
{
    std::string line;
    for (const MessagePart& part : one.message) {
        line += part.text;
        if (!part.value) continue;
        try {
            line += valueText(part.value->value({look.here, look.event.invocation, timeline_.buffers()}), look.here);
        } catch (const UsageError& error) {
            line += fmt::format("{{{}}}", error.what());
        }
    }
    log_(line);
}

void Stops::removeBreakpoints(const std::string& file)
{
    std::erase_if(breakpoints_, [&](const Breakpoint& one) { return one.file == file; });
}

void Stops::addBreakpoint(const View& view, const std::string& words, Answer& answer)
{
    if (words.empty()) return list(answer);
    const auto [place, condition] = splitAtIf(words);
    const std::size_t colon = place.rfind(':');
    std::string file = colon == std::string::npos ? "" : trimmed(place.substr(0, colon));
    const auto line = wholeNumber(trimmed(colon == std::string::npos ? place : place.substr(colon + 1)));
    if (!line) throw UsageError(fmt::format("'{}' is no line: break 33, or break FILE:33", place));
    if (file.empty()) file = underShaders(view.line().file);
    if (file.empty()) throw UsageError(fmt::format("of which file? break FILE:{}", *line));
    if (file.rfind("shaders/", 0) == 0) file.erase(0, 8);
    const auto [number, moved] = addBreakpoint(file, *line, condition);
    file = breakpoints_.back().file;
    answer.say(fmt::format("breakpoint {} at shaders/{}:{}{}\n", number, file, moved,
                           moved == *line ? "" : fmt::format(" (line {} has no code)", *line)));
    answer.tell("breakpoint", {{"number", number}, {"file", file}, {"line", moved}});
}

unsigned Stops::addWatch(const View& view, const std::string& expression)
{
    Watch made{Expression(expression)};
    std::tie(made.where, made.as) = placeOf(view, expression);
    made.number = ++numbers_;
    made.dispatch = view.look.event.dispatch;
    made.group = view.look.event.group;
    made.invocation = view.invocation();
    made.last = made.as;
    watches_.push_back(std::move(made));
    return numbers_;
}

void Stops::addWatch(const View& view, const std::string& words, Answer& answer)
{
    if (words.empty()) throw UsageError("watch EXPRESSION: such as watch partial[3]");
    const unsigned number = addWatch(view, words);
    answer.say(fmt::format("watch {}: {} is {}\n", number, words, numberText(watches_.back().as)));
    answer.tell("watch", {{"number", number}, {"expression", words}});
}

void Stops::remove(const std::string& words)
{
    const auto number = wholeNumber(words);
    const auto isIt = [&](const auto& one) { return words.empty() || one.number == number; };
    const std::size_t removed = std::erase_if(breakpoints_, isIt) + std::erase_if(watches_, isIt);
    if (removed == 0)
        throw UsageError(words.empty()
                             ? "there are no breakpoints and no watches"
                             : fmt::format("there is no breakpoint or watch '{}': 'break' lists them", words));
}

std::optional<Stops::Found> Stops::finding(const Look& look)
{
    if (look.found == 0 || !findings_ || look.number == passed_) return {};
    const auto& all = look.here.findings();
    Found found;
    found.kind = Kind::finding;
    found.before = true;
    for (std::size_t i = all.size() - look.found; i < all.size(); ++i)
        found.why += printableText(fmt::format("{}: {}", all[i].rule, textOf(all[i]))) + "\n";
    const KernelActor& actor = all[all.size() - look.found].actor;
    if (actor.group == look.here.group() || look.event.isEnd) found.invocation = actor.invocation;
    passed_ = look.number;
    return found;
}

// In another work-group or dispatch, the same name means something else.
void Stops::resolve(Watch& watch, const Look& look) const
{
    if (look.event.isEnd || (watch.dispatch == look.event.dispatch && watch.group == look.event.group)) return;
    watch.dispatch = look.event.dispatch;
    watch.group = look.event.group;
    watch.where.reset();
    watch.last.reset();
    try {
        const Scope scope{look.here, watch.invocation, timeline_.buffers()};
        const Value value = watch.expression.value(scope);
        if (value.spot && value.isNumber()) watch.where = look.here.whereabouts(*value.spot);
    } catch (const UsageError&) {  // the name is unknown here
    }
    if (watch.where) watch.last = look.here.numberAt(*watch.where, watch.as);
}

std::optional<Stops::Found> Stops::change(const Look& look)
{
    std::optional<Found> found;
    for (Watch& one : watches_) {
        resolve(one, look);
        const auto now = one.where ? look.here.numberAt(*one.where, one.as) : std::nullopt;
        if (!now) continue;
        if (one.last && *now != *one.last && look.number != passed_) {
            if (!found) found.emplace();
            found->kind = Kind::change;
            found->why += changeText(one.expression.text(), *one.last, *now) + ", by this line\n";
            found->before = true;
        }
        one.last = now;
    }
    if (found) passed_ = look.number;
    return found;
}

std::optional<Stops::Found> Stops::breakpoint(const Look& look, bool logs)
{
    const auto line = lineOf(look);
    for (const Breakpoint& one : breakpoints_) {
        if (line.second != one.line || line.first != one.file) continue;
        try {
            if (one.condition && !one.condition->isTrue({look.here, look.event.invocation, timeline_.buffers()}))
                continue;
            if (one.message.empty()) return Found{Kind::breakpoint, fmt::format("breakpoint {}\n", one.number)};
            if (logs) log(one, look);
        } catch (const UsageError& error) {
            return Found{Kind::breakpoint,
                         fmt::format("breakpoint {}, whose condition cannot be known: {}\n", one.number, error.what())};
        }
    }
    return {};
}

std::optional<Stops::Found> Stops::at(const Look& look, const std::optional<Selected>& alone)
{
    if (auto found = finding(look)) return found;
    if (auto found = change(look)) return found;
    const bool breaks = !breakpoints_.empty() && !look.event.isEnd && !look.event.isAgain;
    return breaks && (!alone || alone->is(look.event)) ? breakpoint(look, true) : std::nullopt;
}

void Stops::goOnFrom(const Look& look)
{
    if (look.number + 1 != passed_) passed_ = UINT64_MAX;
    for (Watch& one : watches_) {
        resolve(one, look);
        if (one.where) one.last = look.here.numberAt(*one.where, one.as);
    }
}

}  // namespace a2::debug
