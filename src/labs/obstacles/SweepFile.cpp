// Reads a sweep from a file.

#include "base/FloatText.h"
#include "tasks/InputFile.h"
#include "a2/Error.h"
#include "labs/prescan/NumberText.h"
#include "labs/obstacles/Sweep.h"

#include <fmt/format.h>

#include <cmath>

namespace a2 {

namespace {

// Why a word is no distance; null where it is one.
const char* objection(std::string_view word, float& value)
{
    const auto [stop, error] = parseFloat(word.data(), word.data() + word.size(), value);
    if (error == std::errc::result_out_of_range) return "beyond what a float can hold";
    if (error != std::errc() || stop != word.data() + word.size() || !std::isfinite(value)) return "not a number";
    return std::signbit(value) && value != 0 ? "below 0, which no distance is" : nullptr;
}

}  // namespace

Sweep readSweep(const std::string& path)
{
    Sweep sweep;
    WordReader reader(path);
    for (std::string_view word; reader.next(word);) {
        float value = 0;
        if (const char* why = objection(word, value))
            throw UsageError(fmt::format("{}: '{}' is {}; a sweep is distances from 0 on, separated by white space",
                                         reader.place(), printable(word), why));
        sweep.distances.push_back(value);
    }
    if (sweep.distances.empty()) throw UsageError(fmt::format("{} holds no distances: it needs at least one", path));
    sweep.origin = fmt::format("{} beams from {}", sweep.distances.size(), path);
    return sweep;
}

}  // namespace a2
