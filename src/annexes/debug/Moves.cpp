#include "annexes/debug/Moves.h"

#include "a2/Error.h"
#include "lint/EmulatedFindings.h"

#include <fmt/format.h>

#include <tuple>

namespace a2::debug {

using emulator::Standing;

namespace {

Way seek(std::uint64_t number)
{
    Way way;
    way.kind = Way::Kind::seek;
    way.target = number;
    return way;
}

}  // namespace

Moves::Moves(Timeline& timeline, Stops& stops, std::function<bool()> interrupted)
    : timeline_(timeline), stops_(stops), interrupted_(std::move(interrupted))
{
}

void Moves::explain(const Change& change)
{
    const std::string what = changeText(sought_, change.before, change.after);
    if (change.byTransfer) {
        why_ = fmt::format("{}, by a transfer before dispatch {}\n", what, timeline_.event(change.event).dispatch);
        return;
    }
    const Event& writer = timeline_.event(change.event - 1);
    why_ = fmt::format("{}, by invocation {} of work-group {} in dispatch {}, on this line\n", what, writer.invocation,
                       writer.group, writer.dispatch);
}

std::optional<Way> Moves::arrive(const Look& look)
{
    if (!begun_) {
        why_.clear();
        reason_ = Reason::step;
    }
    if (look.searched) {
        const std::optional<Change>& change = *look.searched;
        reason_ = Reason::change;
        begun_ = true;
        if (change) explain(*change);
        if (!change) why_ = fmt::format("up to here nothing in this run has changed {}\n", sought_);
        if (change && !change->byTransfer) return seek(change->event - 1);
        keeps_ = true;
    }
    if (std::exchange(before_, false) && look.number > 0) return seek(look.number - 1);
    begun_ = false;
    if (look.full && why_.empty())
        why_ = fmt::format("more than {} lines: what comes after this one is not followed; a smaller -n has fewer\n",
                           std::size_t{Timeline::mostEvents});
    const Event& event = look.event;
    const Selected actor = {event.group, event.dispatch, event.invocation};
    const bool sameGroup = actor.group == selected_.group && actor.dispatch == selected_.dispatch;
    if (!event.isEnd && !(keeps_ && sameGroup)) selected_ = actor;
    if (show_ && !event.isEnd && *show_ < look.here.invocations()) selected_.invocation = *show_;
    keeps_ = false;
    show_.reset();
    stops_.goOnFrom(look);
    return {};
}

bool Moves::mustStop(const Look& look, const std::optional<Selected>& alone)
{
    const auto say = [this](Reason reason, std::string why) {
        reason_ = reason;
        why_ = std::move(why);
        begun_ = true;
        return true;
    };
    if (auto found = stops_.at(look, alone)) {
        before_ = found->before;
        show_ = found->invocation;
        return say(found->kind == Stops::Kind::finding  ? Reason::finding
                   : found->kind == Stops::Kind::change ? Reason::change
                                                        : Reason::breakpoint,
                   std::move(found->why));
    }
    return interrupted_() && say(Reason::interrupted, "interrupted\n");
}

Way Moves::onward(const View& view, Holds holds)
{
    Way way;
    way.kind = Way::Kind::onward;
    if (view.look.event.isEnd) {  // the end of a dispatch: to the next one's first line
        way.until = [](const Look&) { return true; };
        return way;
    }
    // If another invocation is at work, the selected one stands before its next line, which is shown already.
    std::optional<std::pair<std::string, std::uint32_t>> shown;
    if (!selected_.is(view.look.event)) shown.emplace(underShaders(view.line().file), view.line().line);
    way.until = [this, mine = selected_, shown, holds = std::move(holds)](const Look& look) mutable {
        const Event& event = look.event;
        if (mustStop(look, mine)) return true;
        if (!event.isEnd && mine.is(event)) {
            const auto before = std::exchange(shown, std::nullopt);
            return (!before || *before != stops_.lineOf(look)) && holds(look);
        }
        const bool sameGroup = !event.isEnd && event.dispatch == mine.dispatch && event.group == mine.group;
        if (sameGroup && look.here.state(mine.invocation) != Standing::State::ended) return false;
        why_ = fmt::format("invocation {} of work-group {} has ended\n", mine.invocation, mine.group);
        return begun_ = true;
    };
    return way;
}

Way Moves::next(const View& view, std::uint64_t lines)
{
    const std::size_t frames = view.look.event.isEnd ? 1 : view.here().frames(selected_.invocation).size();
    return onward(view, [frames, lines](const Look& look) mutable {
        return !look.event.isAgain && look.event.depth < frames && --lines == 0;
    });
}

Way Moves::step(const View& view, std::uint64_t lines)
{
    return onward(view, [lines](const Look& look) mutable { return !look.event.isAgain && --lines == 0; });
}

Way Moves::finish(const View& view)
{
    view.needInvocation();
    const std::size_t frames = view.here().frames(selected_.invocation).size();
    return onward(view, [frames](const Look& look) { return look.event.depth + 1U < frames; });
}

Way Moves::toBarrier(const View& view)
{
    return onward(view, [phase = view.look.event.phase](const Look& look) {
        return !look.event.isAgain && look.event.phase > phase;
    });
}

Way Moves::toLine(const View& view, std::uint32_t line)
{
    view.needInvocation();
    return onward(view, [this, wanted = std::pair(underShaders(view.line().file), line)](const Look& look) {
        return !look.event.isAgain && stops_.lineOf(look) == wanted;
    });
}

Way Moves::toDispatch(const View& view)
{
    Way way;
    way.kind = Way::Kind::onward;
    way.until = [this, number = view.look.event.dispatch, mine = selected_](const Look& look) {
        return mustStop(look, mine) || look.event.dispatch > number;
    };
    return way;
}

Way Moves::goOn()
{
    Way way;
    way.kind = Way::Kind::onward;
    way.until = [this](const Look& look) { return mustStop(look, {}); };
    return way;
}

// Of the selected invocation; at the end of a dispatch, of any.
std::optional<std::uint64_t> Moves::earlier(const View& view, std::uint64_t from,
                                            const std::function<bool(const Event&)>& holds) const
{
    const Event& at = view.look.event;
    return timeline_.lastBefore(from, [&](const Event& event) {
        const bool mine = at.isEnd ? event.dispatch <= at.dispatch : selected_.is(event);
        return !event.isEnd && !event.isAgain && mine && holds(event);
    });
}

Way Moves::leapTo(const View& view, std::optional<std::uint64_t> number, const char* lacking)
{
    if (!number) throw UsageError(lacking);
    left_.emplace_back(view.look.number, selected_);
    return seek(*number);
}

Way Moves::back(const View& view, std::uint64_t lines, bool intoCalls)
{
    const std::size_t frames = view.look.event.isEnd ? 1 : view.here().frames(selected_.invocation).size();
    const auto any = [&](const Event& event) { return intoCalls || event.depth < frames; };
    std::optional<std::uint64_t> found;
    for (auto one = earlier(view, view.look.number, any); one && lines > 0; --lines) {
        found = one;
        one = earlier(view, *one, any);
    }
    return leapTo(view, found, "this is the first line of this invocation: 'restart' goes to the run's");
}

Way Moves::backToBarrier(const View& view)
{
    view.needInvocation();
    const auto before = [phase = view.look.event.phase](const Event& event) { return event.phase < phase; };
    return leapTo(view, earlier(view, view.look.number, before), "there is no barrier() before this line");
}

Way Moves::backToDispatch(const View& view)
{
    const auto before = [number = view.look.event.dispatch](const Event& one) { return one.dispatch < number; };
    return leapTo(view, timeline_.lastBefore(view.look.number, before), "there is no dispatch before this one");
}

// Walks everything again up to here, then goes to the last place where it would have stopped.
Way Moves::backToStop(const View& view)
{
    left_.emplace_back(view.look.number, selected_);
    lastStop_.reset();
    Way way;
    way.kind = Way::Kind::again;
    way.target = view.look.number;
    way.until = [this](const Look& look) {
        if (look.found > 0 && look.number > 0) lastStop_ = look.number - 1;
        if (stops_.isBreakpoint(look)) lastStop_ = look.number;
        return false;
    };
    way.then = [this] {
        reason_ = lastStop_ ? Reason::breakpoint : Reason::step;
        begun_ = true;
        why_ = lastStop_ ? "at a breakpoint, or what a rule was broken by\n"
                         : "no breakpoint comes before: this is the run's first line\n";
        return lastStop_.value_or(0);
    };
    return way;
}

Way Moves::restart(const View& view) { return leapTo(view, 0, ""); }

Way Moves::why(const View& view, const std::string& expression)
{
    Way way;
    way.kind = Way::Kind::search;
    std::tie(way.watched, way.as) = placeOf(view, expression);
    way.dispatch = view.look.event.dispatch;
    sought_ = expression;
    left_.emplace_back(view.look.number, selected_);
    return way;
}

Way Moves::goBack()
{
    if (left_.empty()) throw UsageError("'return' goes to where 'back', 'why' or 'restart' was typed: none was");
    const auto [number, selected] = left_.back();
    left_.pop_back();
    show_ = selected.invocation;
    return seek(number);
}

}  // namespace a2::debug
