// Location and spread of repeated measurements.
#pragma once

#include <cstddef>
#include <vector>

namespace a2 {

struct Statistics {
    std::size_t count = 0;
    double min = 0, median = 0, max = 0;  // in the unit of the samples
    double mean = 0;
    std::vector<double> samples;  // in the order in which they were made
    double cv = 0;  // coefficient of variation: standard deviation (n - 1) / mean; 0 for fewer than two samples
};

// The median of an even number of samples is the mean of the middle two.
Statistics statistics(std::vector<double> samples);

}  // namespace a2
