#include "judge/PartTimes.h"

#include <algorithm>

namespace a2 {

namespace {

double longest(const std::vector<PartTimes>& parts, std::size_t repetition, std::vector<double> PartTimes::*times)
{
    double most = 0;
    for (const PartTimes& part : parts)
        if (repetition < (part.*times).size()) most = std::max(most, (part.*times)[repetition]);
    return most;
}

}  // namespace

TimesTogether timesTogether(const std::vector<PartTimes>& parts)
{
    TimesTogether together;
    const std::size_t count = parts.empty() ? 0 : parts.front().ms.size();
    for (std::size_t i = 0; i < count; ++i) {
        together.exchangeMs.push_back(longest(parts, i, &PartTimes::exchangeMs));
        together.ms.push_back(longest(parts, i, &PartTimes::sumMs) + together.exchangeMs.back() +
                              longest(parts, i, &PartTimes::ms) + longest(parts, i, &PartTimes::offsetMs));
    }
    return together;
}

}  // namespace a2
