// Textbook formulas for the algorithms of the rows, for comparison with what is counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

struct Formula {
    std::string text;         // "n - 1"
    std::uint64_t value = 0;  // for the given n
};
struct Textbook {
    std::optional<Formula> additions, time;  // time: steps with as many processors as could be used
};

// For an algorithm on a whole array of n >= 1 elements. Empty if no book has a formula for it.
using TextbookOf = Textbook (*)(std::uint64_t n, bool exclusive);

Textbook noTextbook(std::uint64_t n, bool exclusive);
Textbook treeOfSums(std::uint64_t n, bool exclusive);      // any reduction by a tree
Textbook hillisSteele(std::uint64_t n, bool exclusive);    // Hillis and Steele (1986); Kogge and Stone (1973)
Textbook blelloch(std::uint64_t n, bool exclusive);        // Blelloch (1989), both sweeps
Textbook brentKung(std::uint64_t n, bool exclusive);       // Brent and Kung (1982), for powers of two
Textbook bruteForceScan(std::uint64_t n, bool exclusive);  // each sum on its own

}  // namespace a2
