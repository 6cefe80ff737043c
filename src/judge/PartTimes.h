// What the ranks that share an array take for it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace a2 {

// One of them for its part, repetition by repetition, in milliseconds.
struct PartTimes {
    unsigned rank = 0;
    std::string device;
    std::uint64_t n = 0;             // elements of its part
    std::vector<double> ms;          // the solution's recording
    std::vector<double> exchangeMs;  // passing on the sums, from when all ranks had come
    std::vector<double> sumMs;       // a scan's first step: to sum the part
    std::vector<double> offsetMs;    // a prescan's last step
};

// See Wire.h.
template <class Wire>
void fields(Wire& wire, PartTimes& part)
{
    wire("rank", part.rank);
    wire("device", part.device);
    wire("n", part.n);
    wire("ms", part.ms);
    wire("exchangeMs", part.exchangeMs);
    wire("sumMs", part.sumMs);
    wire("offsetMs", part.offsetMs);
}

// All of them for the whole array: the longest of each step of a repetition together, and the longest exchange alone.
struct TimesTogether {
    std::vector<double> ms, exchangeMs;
};
// As many repetitions as the first of them has; none for no parts.
TimesTogether timesTogether(const std::vector<PartTimes>& parts);

}  // namespace a2
