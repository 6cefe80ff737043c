// Words that memory holds before a run. They show which words were not written.
#pragma once

#include <cstdint>
#include <random>

namespace a2 {

// Random 32-bit words that no kernel can know. Never one that a result is likely to hold: neither near 0 nor, modulo
// 2^32, near -1. The right result at some place equals such a word only by chance, once in 2^32.
class PoisonWords {
public:
    PoisonWords();                             // other words in each program and each object
    explicit PoisonWords(std::uint64_t seed);  // the same words for the same seed: for tests
    std::uint32_t next();

    static constexpr std::uint32_t margin = 1U << 16;  // words so near to 0, from above or below, are not used

private:
    std::mt19937_64 engine_;
};

// A new seed each time: 32 bits, short enough to paste.
std::uint32_t freshSeed();

}  // namespace a2
