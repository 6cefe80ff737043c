// What textbooks say about the algorithms behind the rows, to be held against what is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

struct Formula {
    std::string text;         // "n - 1"
    std::uint64_t value = 0;  // for the n that was asked for
};
struct Textbook {
    std::optional<Formula> additions, time;  // time: steps with as many processors as could be used
};

// Of the task's algorithm on the whole array of n >= 1 elements: Hillis and Steele (1986) for the naive and the
// Kogge-Stone scan, Blelloch (1989) for the work-efficient one, Brent and Kung (1982). Empty where there is none.
Textbook textbook(const std::string& taskId, std::uint64_t n, bool exclusive);

}  // namespace a2
