#include "a2/Error.h"
#include "annexes/prescan/Prescan.h"
#include "tasks/Input.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace a2 {

void fillRandom(const PrescanSettings& settings, std::uint64_t first, std::span<std::uint32_t> words)
{
    inParallel(words.size(), [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            // The word's share of 2^32, of maxRand <= 2^32.
            const std::uint64_t share = (randomElement(settings.seed, first + i) * settings.maxRand) >> 32;
            const auto value = static_cast<std::uint32_t>(share);
            words[i] = !settings.element->isReal ? value : std::bit_cast<std::uint32_t>(static_cast<float>(value));
        }
    });
}

double quantumOf(float value)
{
    int exponent = 0;  // |value| = m * 2^exponent, where m * 2^24 is a whole number: its trailing zeros are free
    const double m = std::frexp(static_cast<double>(std::fabs(value)), &exponent);
    const auto whole = static_cast<std::uint32_t>(std::ldexp(m, 24));
    return std::ldexp(1.0, exponent - 24 + std::countr_zero(whole));
}

void InputLook::look(std::span<const std::uint32_t> part)
{
    for (const std::uint32_t word : part) {
        // Similar to Knuth's multiplicative hash, with a rotation, so that it depends on the order.
        facts_.fingerprint = (std::rotl(facts_.fingerprint, 5) ^ word) * 0x9E3779B97F4A7C15;
        if (!element_.isReal) {
            facts_.magnitude += word;
            continue;
        }
        const auto value = std::bit_cast<float>(word);
        if (value == 0) continue;
        facts_.magnitude += std::fabs(static_cast<double>(value));
        // Most elements are multiples of the present quantum: only the bits of others are examined.
        const double multiple = static_cast<double>(value) / facts_.quantum;  // exact, by a power of two
        if (facts_.quantum == 0 || multiple != std::trunc(multiple)) facts_.quantum = quantumOf(value);
    }
}

void checkRange(const InputFacts& facts, const ElementType& element)
{
    constexpr double slack = 1.0 + 1.0 / 1024;  // for rounding in between, in any order
    if (element.isReal && facts.magnitude * slack > std::numeric_limits<float>::max())
        throw UsageError(
            fmt::format("the elements' magnitudes add up to {:.4g}, and a float holds at most {:.4g}: scale the input "
                        "down",
                        facts.magnitude, std::numeric_limits<float>::max()));
}

}  // namespace a2
