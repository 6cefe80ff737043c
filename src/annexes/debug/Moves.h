// Moves from one place of a run to another: steps, leaps, and what stops them on the way.
#pragma once

#include "annexes/debug/Stops.h"
#include "annexes/debug/Timeline.h"
#include "annexes/debug/View.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace a2::debug {

class Moves {
public:
    // interrupted: asked at each line; true stops there.
    Moves(Timeline& timeline, Stops& stops, std::function<bool()> interrupted);

    // Call it with each place that a way has led to. Empty: the wanted place is reached, and view(), reason() and why()
    // describe it; otherwise the returned way goes on.
    std::optional<Way> arrive(const Look& look);
    View view(const Look& look) const { return {timeline_, look, selected_}; }
    enum class Reason { step, breakpoint, finding, change, interrupted };
    Reason reason() const { return reason_; }
    const std::string& why() const { return why_; }  // lines; empty: stopped as requested
    void select(std::uint32_t invocation) { selected_.invocation = invocation; }

    // For the selected invocation, until it has ended: its next line, over calls; into them; out of its function; after
    // the next barrier(); at a line of this file.
    Way next(const View& view, std::uint64_t lines = 1);
    Way step(const View& view, std::uint64_t lines = 1);
    Way finish(const View& view);
    Way toBarrier(const View& view);
    Way toLine(const View& view, std::uint32_t line);
    Way toDispatch(const View& view);  // the next one
    Way goOn();
    // Earlier lines of it; throw UsageError if there are none.
    Way back(const View& view, std::uint64_t lines, bool intoCalls = false);
    Way backToBarrier(const View& view);
    Way backToDispatch(const View& view);
    Way backToStop(const View& view);  // to the last breakpoint, or the run's first line
    Way restart(const View& view);
    Way why(const View& view, const std::string& expression);
    Way goBack();  // to the place before one of these

private:
    using Holds = std::function<bool(const Look&)>;

    bool mustStop(const Look& look, const std::optional<Selected>& alone);
    Way onward(const View& view, Holds holds);
    Way leapTo(const View& view, std::optional<std::uint64_t> number, const char* lacking);
    std::optional<std::uint64_t> earlier(const View& view, std::uint64_t from,
                                         const std::function<bool(const Event&)>& holds) const;
    void explain(const Change& change);

    Timeline& timeline_;
    Stops& stops_;
    std::function<bool()> interrupted_;
    Selected selected_;
    Reason reason_ = Reason::step;
    std::string why_;

    // About the next place.
    bool begun_ = false;                     // why_ and reason_ are about it
    bool before_ = false;                    // the line before is wanted
    bool keeps_ = false;                     // keeps the selected invocation, in its work-group
    std::optional<std::uint32_t> show_;      // is selected there
    std::string sought_;                     // the target of a search
    std::optional<std::uint64_t> lastStop_;  // of a way back to a stop
    std::vector<std::pair<std::uint64_t, Selected>> left_;
};

}  // namespace a2::debug
