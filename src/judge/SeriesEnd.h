// When a timed series ends: the one place that decides this for all kinds of repetitions.
#pragma once

#include "base/Clock.h"
#include "judge/Series.h"

#include <span>

namespace a2 {

class SeriesEnd {
public:
    // A series that begins now. `settings` must outlive this object.
    explicit SeriesEnd(const SeriesSettings& settings);

    // Whether the series has ended, given the times of its repetitions in milliseconds. There is at least one.
    bool hasCome(std::span<const double> ms) const;

private:
    const SeriesSettings& settings_;
    Clock::time_point start_;
};

}  // namespace a2
