#include "judge/Poison.h"

#include "base/Clock.h"

namespace a2 {

// From the clock as well: a random_device may give the same sequence in every program (MinGW's did).
std::uint32_t freshSeed()
{
    static std::mt19937_64 engine = [] {
        std::random_device device;
        const auto now = static_cast<std::uint64_t>(Clock::now().time_since_epoch().count());
        std::seed_seq mixed{device(), device(), static_cast<unsigned>(now), static_cast<unsigned>(now >> 32)};
        return std::mt19937_64(mixed);
    }();
    return static_cast<std::uint32_t>(engine() >> 32);
}

PoisonWords::PoisonWords() : PoisonWords(std::uint64_t{freshSeed()} << 32 | freshSeed()) {}

PoisonWords::PoisonWords(std::uint64_t seed) : engine_(seed) {}

std::uint32_t PoisonWords::next()
{
    for (;;)
        if (const auto word = static_cast<std::uint32_t>(engine_() >> 32); word >= margin && word < -margin)
            return word;
}

}  // namespace a2
