// Reads a sweep from a file.

#include "FloatText.h"
#include "Utf8Path.h"
#include "a2/Error.h"
#include "labs/NumberText.h"
#include "labs/Sweep.h"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace a2 {

namespace {

std::string readText(const std::string& path)
{
    std::error_code ignored;
    if (std::filesystem::is_directory(pathOf(path), ignored))
        throw UsageError(fmt::format("{} is a folder: name a file of distances", path));
    std::ifstream file(pathOf(path), std::ios::binary);
    if (!file) throw UsageError(fmt::format("{} cannot be opened: check the path", path));
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (file.bad()) throw UsageError(fmt::format("{} cannot be read to its end: is the disk sound?", path));
    return text;
}

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
    const std::string text = readText(path);
    Sweep sweep;
    for (std::size_t at = 0; at < text.size();) {
        if (isSpace(text[at])) {
            ++at;
            continue;
        }
        const std::string_view word = wordAt(text, at);
        float value = 0;
        if (const char* why = objection(word, value)) {
            TextPlace place;
            place.pass(std::string_view(text).substr(0, at));
            throw UsageError(fmt::format("{}: '{}' is {}; a sweep is distances from 0 on, separated by white space",
                                         place.in(path), printable(word), why));
        }
        sweep.distances.push_back(value);
        at += word.size();
    }
    if (sweep.distances.empty()) throw UsageError(fmt::format("{} holds no distances: it needs at least one", path));
    sweep.origin = fmt::format("{} beams from {}", sweep.distances.size(), path);
    return sweep;
}

}  // namespace a2
