// A LiDAR sweep: the distance that each beam measured, in order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace a2 {

// Distances in the sensor's unit; at least 0. A beam that meets nothing reads the largest distance.
struct Sweep {
    std::string origin;  // for the console: "16 beams from sweep.txt"
    std::vector<float> distances;
};

// The obstacle report's data: every 8th beam, from the first on, reads 3, the others 9.
Sweep patternSweep(std::uint64_t beams);

// Short sweeps that are hard for a search: obstacles of one beam and of many, next to each other, at both ends, across
// the ends of work-groups; a sweep without obstacles, and one of nothing else.
std::vector<Sweep> awkwardSweeps(float maxDistance);

// One turn of a sensor among some round and flat obstacles of various sizes, with a little noise on each distance, and
// some beams without an echo. The same seed gives the same sweep on all machines with equal sines.
Sweep simulatedSweep(std::uint64_t beams, std::uint64_t seed, float maxDistance);

// Numbers separated by white space. Throws UsageError, with line and column, for anything else, for a number below 0,
// and for one that a float cannot hold; also if the file cannot be read or has no numbers.
Sweep readSweep(const std::string& path);

// A maximal run of neighbouring beams that all read less than the largest distance. The first and the last beam of a
// sweep are no neighbours.
struct Obstacle {
    std::uint64_t first = 0, beams = 0;
    bool operator==(const Obstacle&) const = default;
};

// The result of one pass over the sweep, on the host: the reference.
struct ObstacleReference {
    std::vector<std::uint32_t> flags;     // 1 for a beam that reads less than maxDistance
    std::vector<std::uint32_t> readings;  // the number of such beams up to and with this one
    std::vector<Obstacle> obstacles;

    std::uint32_t count() const { return readings.empty() ? 0 : readings.back(); }
};
ObstacleReference findOnHost(std::span<const float> distances, float maxDistance);

}  // namespace a2
