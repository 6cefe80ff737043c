#include "annexes/debug/Looks.h"

#include "a2/Error.h"
#include "annexes/debug/ValueText.h"
#include "base/PrintableText.h"
#include "lint/EmulatedFindings.h"
#include "report/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

namespace a2::debug::looks {

using emulator::Standing;
using nlohmann::json;

namespace {

const char* stateText(Standing::State state)
{
    switch (state) {
        case Standing::State::notStarted:
            return "not started";
        case Standing::State::atBarrier:
            return "at barrier()";
        case Standing::State::atSubgroup:
            return "waits for its subgroup";
        case Standing::State::waiting:
            return "waits";
        case Standing::State::ended:
            return "has ended";
        case Standing::State::running:
            break;
    }
    return "";
}

struct Row {
    std::string place, state, values;
};

}  // namespace

void print(const View& view, const std::string& words, Answer& answer)
{
    if (words.empty()) throw UsageError("print EXPRESSION: such as print lane * 2, or print partial[lane]");
    const Value value = Expression(words).value(view.scope());
    // Throws if it lies past the end.
    const bool set = !value.isNumber() || numberOf(value, view.here(), words).set;
    answer.say(fmt::format("{} = {}{}\n", words, valueText(value, view.here()), set ? "" : " (never set)"));
    answer.tell("value", valueJson(value, view.here()));
}

void locals(const View& view, const std::string&, Answer& answer)
{
    view.needInvocation();
    const std::vector<std::string> names = view.here().names(view.selected.invocation).locals;
    if (names.empty()) answer.say("no variables of its own here\n");
    json all = json::object();
    std::size_t widest = 0;
    for (const std::string& name : names) widest = std::max(widest, name.size());
    for (const std::string& name : names) {
        const auto spot = view.here().find(name, view.selected.invocation);
        if (!spot) continue;
        answer.say(fmt::format("  {:<{}} = {}\n", name, widest, valueText({spot, {}}, view.here())));
        all[name] = valueJson({spot, {}}, view.here());
    }
    answer.tell("value", std::move(all));
}

void shared(const View& view, const std::string& words, Answer& answer)
{
    constexpr std::uint64_t most = 256;
    view.needInvocation();
    json all = json::object();
    for (const std::string& name : view.here().names(view.selected.invocation).shared) {
        const auto spot = view.here().find(name, view.selected.invocation);
        if (!spot || (!words.empty() && words != name)) continue;
        answer.say(name + "\n" + rowsText(*spot, view.here(), 0, most));
        all[name] = valueJson({spot, {}}, view.here());
    }
    if (all.empty())
        throw UsageError(words.empty() ? "this kernel has no shared memory"
                                       : fmt::format("there is no shared variable '{}'", words));
    answer.tell("value", std::move(all));
}

void buffer(const View& view, const std::string& words, Answer& answer)
{
    if (words.empty()) {
        json all = json::object();
        for (const std::string& name : view.buffers()) {
            const auto spot = view.scope().find(name);
            const std::uint64_t count = spot ? view.here().elements(*spot) : 0;
            answer.say(fmt::format("  {}{}\n", name, count > 0 ? fmt::format("[{}]", count) : ""));
            all[name] = count;
        }
        answer.tell("value", std::move(all));
        return;
    }
    const auto [name, range] = firstWord(words);
    const auto [first, count] = firstWord(range);
    const Value value = Expression(name).value(view.scope());
    if (!value.spot || value.spot->space != emulator::Space::buffer)
        throw UsageError(fmt::format("'{}' is no buffer: 'buffer' lists them", name));
    const std::uint64_t elements = view.here().elements(*value.spot), from = numberFrom(first, 0, "first element");
    const std::uint64_t most = numberFrom(count, mostShown, "number of elements");
    if (elements > 0 && from >= elements)
        throw UsageError(fmt::format("{} has {} elements, from 0 on", name, elements));
    answer.say(rowsText(*value.spot, view.here(), from, most));
    if (elements == 0) {
        answer.tell("value", valueJson(value, view.here()));
        return;
    }
    json all = json::array();
    for (std::uint64_t i = from; i < std::min(elements, from + most); ++i)
        if (const auto one = view.here().element(*value.spot, i)) all.push_back(valueJson({one, {}}, view.here()));
    answer.tell("value", std::move(all));
}

void invocations(const View& view, const std::string& words, Answer& answer)
{
    constexpr std::uint64_t usual = 32;
    view.needInvocation();
    const Standing& here = view.here();
    const std::uint64_t shown = std::min<std::uint64_t>(here.invocations(), numberFrom(words, usual, "number of rows"));
    std::vector<Row> rows;
    std::size_t place = 0, state = 0;  // widest
    json all = json::array();
    for (std::uint32_t i = 0; i < shown; ++i) {
        const Standing::State now = here.state(i);
        const bool begun = now != Standing::State::notStarted;
        const std::uint32_t line = begun ? here.frames(i).front().where.line : 0;
        Row row;
        row.place = begun ? fmt::format("line {}", line) : "";
        row.state = i == view.look.event.invocation ? "at work" : stateText(now);
        json values = json::object();
        for (const std::string& name : here.names(i).locals) {
            const auto spot = here.find(name, i);
            if (!begun || !spot || !Value{spot, {}}.isNumber()) continue;
            row.values += fmt::format("{}{} {}", row.values.empty() ? "" : ", ", name, valueText({spot, {}}, here));
            values[name] = valueJson({spot, {}}, here);
        }
        all.push_back({{"invocation", i}, {"line", line}, {"state", row.state}, {"locals", std::move(values)}});
        place = std::max(place, row.place.size());
        state = std::max(state, row.state.size());
        rows.push_back(std::move(row));
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
        answer.say(fmt::format("{} {:>4}  {:<{}}  {:<{}}  {}\n", i == view.selected.invocation ? '*' : ' ', i,
                               rows[i].place, place, rows[i].state, state, rows[i].values));
    if (shown < here.invocations())
        answer.say(fmt::format("  ... {} more: invocations {}\n", here.invocations() - shown, here.invocations()));
    answer.tell("value", std::move(all));
}

void list(const View& view, const std::string& words, Answer& answer)
{
    constexpr std::uint64_t around = 5;
    const KernelLine at = view.line();
    const auto sources = view.here().sources();
    const std::string file = at.file.empty() && !sources.empty() ? sources.front().first : at.file;
    std::vector<std::string> lines;
    std::istringstream source(view.sourceOf(file));
    for (std::string line; std::getline(source, line);) {
        if (line.ends_with('\r')) line.pop_back();
        lines.push_back(std::move(line));
    }
    if (lines.empty()) throw UsageError("this kernel was built without its source");
    const std::uint64_t middle = numberFrom(words, at.line, "line");
    if (middle > lines.size() + around) throw UsageError(fmt::format("the file has {} lines", lines.size()));
    for (std::uint64_t number = middle > around ? middle - around : 1; number <= middle + around; ++number) {
        if (number > lines.size()) break;
        std::string text;
        for (const char one : lines[static_cast<std::size_t>(number - 1)])
            text += one == '\t' ? std::string("    ") : std::string(1, one);
        answer.say(fmt::format("{} {:>4}  {}\n", number == at.line ? '>' : ' ', number, printableText(text)));
    }
}

void where(const View& view, const std::string&, Answer& answer)
{
    answer.say(wrapped(view.head(), 0, lineColumns));
    const auto& groups = view.timeline.dispatch(view.look.event.dispatch).groups;
    answer.say(fmt::format("  {} x {} x {} work-groups of {}, in subgroups of {}\n", groups[0], groups[1], groups[2],
                           view.here().invocations(), view.here().subgroupSize()));
    if (view.look.event.isEnd) return;
    if (view.here().state(view.selected.invocation) == Standing::State::notStarted)
        return answer.say("  it has not started\n");
    for (const Standing::Frame& frame : view.here().frames(view.selected.invocation))
        answer.say(fmt::format("  {}() at shaders/{}:{}\n", frame.function.empty() ? "main" : frame.function,
                               underShaders(frame.where.file), frame.where.line));
}

}  // namespace a2::debug::looks
