#include "judge/SeriesEnd.h"

namespace a2 {

SeriesEnd::SeriesEnd(const SeriesSettings& settings) : settings_(settings), start_(Clock::now()) {}

bool SeriesEnd::hasCome(std::span<const double> ms) const
{
    if (ms.size() >= settings_.repeat) return true;
    return !ms.empty() && settings_.maxSeconds && msSince(start_) > *settings_.maxSeconds * 1000;
}

}  // namespace a2
