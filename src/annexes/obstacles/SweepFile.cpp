// Reads a sweep from a file.

#include "a2/Error.h"
#include "annexes/obstacles/Sweep.h"
#include "base/FloatText.h"
#include "files/FileWords.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace a2 {

namespace {

std::optional<std::uint32_t> parseDistance(std::string_view text, std::size_t at)
{
    float value = 0;
    const char* const end = text.data() + text.size();
    if (!readWhole(parseFloat(text.data() + at, end, value), end) || !std::isfinite(value) || value < 0) return {};
    return std::bit_cast<std::uint32_t>(value);
}

std::string whyNoDistance(std::string_view word)
{
    float value = 0;
    const char* const end = word.data() + word.size();
    const auto [stop, error] = parseFloat(word.data(), end, value);
    const bool beyond = error == std::errc::result_out_of_range;
    const bool below = error == std::errc() && stop == end && std::isfinite(value);
    return fmt::format("'{}' is {}; a sweep is distances from 0 on, separated by white space", printable(word),
                       beyond  ? "beyond what a float can hold"
                       : below ? "below 0, which no distance is"
                               : "not a number");
}

}  // namespace

Sweep readSweep(const std::string& path)
{
    Sweep sweep;
    for (const std::uint32_t bits : readWords(path, {parseDistance, whyNoDistance}))
        sweep.distances.push_back(std::bit_cast<float>(bits));
    if (sweep.distances.empty()) throw UsageError(fmt::format("{} holds no distances: it needs at least one", path));
    sweep.origin = fmt::format("{} beams from {}", sweep.distances.size(), path);
    return sweep;
}

}  // namespace a2
