#include "judge/Statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace a2 {

Statistics statistics(std::vector<double> samples)
{
    Statistics result;
    result.count = samples.size();
    result.samples = samples;
    if (samples.empty()) return result;
    std::sort(samples.begin(), samples.end());
    const std::size_t middle = samples.size() / 2;
    result.min = samples.front();
    result.max = samples.back();
    result.median = samples.size() % 2 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
    const auto count = static_cast<double>(samples.size());
    result.mean = std::accumulate(samples.begin(), samples.end(), 0.0) / count;
    if (samples.size() > 1 && result.mean > 0) {
        double squares = 0;
        for (const double sample : samples) squares += (sample - result.mean) * (sample - result.mean);
        result.cv = std::sqrt(squares / (count - 1)) / result.mean;
    }
    return result;
}

}  // namespace a2
