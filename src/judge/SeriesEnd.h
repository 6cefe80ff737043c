// When a timed series ends: the one place for that, whoever repeats what.
#pragma once

#include "base/Clock.h"
#include "judge/Series.h"

#include <span>

namespace a2 {

class SeriesEnd {
public:
    // A series that begins now. `settings` outlive this object.
    explicit SeriesEnd(const SeriesSettings& settings);

    // Whether it has come, after repetitions that took so long, in milliseconds. There is at least one.
    bool hasCome(std::span<const double> ms) const;

private:
    const SeriesSettings& settings_;
    Clock::time_point start_;
};

}  // namespace a2
