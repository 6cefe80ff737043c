#include "annexes/obstacles/Sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace a2 {

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): the distributions of standard libraries differ.
class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed) {}

    double between(double least, double most)
    {
        std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        z ^= z >> 31;
        return least + (most - least) * (static_cast<double>(z >> 11) * 0x1p-53);
    }

    // Close to normal, with standard deviation 1: the sum of twelve uniform numbers (Irwin-Hall).
    double normal()
    {
        double sum = -6;
        for (int i = 0; i < 12; ++i) sum += between(0, 1);
        return sum;
    }

private:
    std::uint64_t state_;
};

// In polar coordinates around the sensor; lengths as fractions of the largest distance.
struct Thing {
    bool round;
    double angle;     // of its middle
    double distance;  // of its middle
    double extent;    // radius, or half the width of a wall that faces the sensor

    // The distance along a beam; infinite if the beam misses it.
    double hit(double beam) const
    {
        const double off = beam - angle, side = distance * std::sin(off);
        if (std::cos(off) <= 0) return INFINITY;
        if (round)
            return std::abs(side) < extent ? distance * std::cos(off) - std::sqrt(extent * extent - side * side)
                                           : INFINITY;
        return distance * std::abs(std::tan(off)) < extent ? distance / std::cos(off) : INFINITY;
    }
};

std::vector<Thing> scene(Random& random)
{
    constexpr double fewest = 4, most = 12;
    std::vector<Thing> things(static_cast<std::size_t>(random.between(fewest, most)));
    for (Thing& one : things)
        one = {random.between(0, 1) < 0.5, random.between(0, 2 * std::numbers::pi), random.between(0.25, 0.9),
               random.between(0.01, 0.12)};
    return things;
}

}  // namespace

Sweep patternSweep(std::uint64_t beams)
{
    constexpr std::uint64_t every = 8;
    constexpr float near = 3, nothing = 9;
    Sweep sweep{fmt::format("{} beams, every {}th reads {}, the others {}", beams, every, near, nothing), {}};
    sweep.distances.resize(beams, nothing);
    for (std::uint64_t i = 0; i < beams; i += every) sweep.distances[i] = near;
    return sweep;
}

std::vector<Sweep> awkwardSweeps(float maxDistance)
{
    struct Kind {
        std::uint64_t beams, near, far;  // how many, in turns
        const char* text;
    };
    std::vector<Sweep> all;
    for (const Kind& kind :
         {Kind{1, 1, 0, "a near one"}, Kind{2, 0, 1, "none near"}, Kind{3, 1, 1, "every other one near"},
          Kind{129, 3, 2, "three near and two far in turns"}, Kind{256, 127, 1, "127 near and one far in turns"},
          Kind{257, 257, 0, "all near"}, Kind{1001, 1, 1, "every other one near"}}) {
        Sweep& sweep = all.emplace_back();
        sweep.origin = fmt::format("{} beam{}, {}", kind.beams, kind.beams == 1 ? "" : "s", kind.text);
        for (std::uint64_t i = 0; i < kind.beams; ++i)
            sweep.distances.push_back(i % (kind.near + kind.far) < kind.near ? maxDistance / 2 : 2 * maxDistance);
    }
    return all;
}

Sweep simulatedSweep(std::uint64_t beams, std::uint64_t seed, float maxDistance)
{
    constexpr double noise = 0.002, empty = 0.002;  // fraction of the largest distance; share of the beams
    Random random(seed);
    const std::vector<Thing> things = scene(random);
    Sweep sweep{fmt::format("{} beams of a simulated sweep (seed {}) past {} things", beams, seed, things.size()), {}};
    sweep.distances.resize(beams, maxDistance);
    for (std::uint64_t i = 0; i < beams; ++i) {
        const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(beams);
        double nearest = INFINITY;
        for (const Thing& one : things) nearest = std::min(nearest, one.hit(angle));
        const double echo = nearest + noise * random.normal();
        if (random.between(0, 1) < empty || !(echo < 1)) continue;
        sweep.distances[i] = static_cast<float>(std::max(echo, 0.0) * double{maxDistance});
    }
    return sweep;
}

ObstacleReference findOnHost(std::span<const float> distances, float maxDistance)
{
    ObstacleReference found;
    found.flags.reserve(distances.size());
    found.readings.reserve(distances.size());
    std::uint32_t count = 0;
    bool before = false;
    for (const float distance : distances) {
        const bool sees = distance < maxDistance;
        if (sees && !before) found.obstacles.push_back({found.flags.size(), 0});
        if (sees) ++found.obstacles.back().beams;
        count += sees;
        found.flags.push_back(sees);
        found.readings.push_back(count);
        before = sees;
    }
    return found;
}

}  // namespace a2
