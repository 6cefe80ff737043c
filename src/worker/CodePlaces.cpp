#include "worker/CodePlaces.h"

#include "base/PrintableText.h"
#include "base/Process.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

namespace a2 {

namespace {

constexpr std::size_t mostOffsets = 16, mostPlaces = 3;
constexpr std::string_view callers[] = {"recordSolution", "makeSolution", "a2Serve", "answerBytes"};

std::vector<std::string> addressesIn(const std::string& offsets)
{
    std::vector<std::string> all;
    std::istringstream words(offsets);
    for (std::string word; words >> word && all.size() < mostOffsets;) {
        const bool isNumber = word.size() <= 16 && word.find_first_not_of("0123456789abcdef") == std::string::npos;
        if (isNumber) all.push_back("0x" + word);
    }
    return all;
}

// Whether one place occurs so often that it must be a recursion.
bool isRecursion(const std::string& offsets)
{
    constexpr int often = 8;
    std::map<std::string, int> times;
    std::istringstream words(offsets);
    for (std::string word; words >> word;)
        if (++times[word] >= often) return true;
    return false;
}

void leaveOut(std::string& text, std::string_view part)
{
    for (std::size_t at; (at = text.find(part)) != std::string::npos;) text.erase(at, part.size());
}

// "a2::(anonymous namespace)::Sequential::record(vk::CommandBuffer)" is "Sequential::record()".
std::string shortName(std::string function)
{
    leaveOut(function, "(anonymous namespace)::");
    leaveOut(function, "a2::");
    const std::size_t arguments = function.find('(');
    return arguments == std::string::npos ? function : function.substr(0, arguments) + "()";
}

// The place from src/ on, without "(discriminator 2)"; empty where it is not known.
std::string shortPlace(std::string place)
{
    place = place.substr(0, place.find(' '));
    if (place.starts_with("??") || place.ends_with(":?") || place.ends_with(":0")) return "";
    const std::size_t source = place.rfind("/src/");
    return place.substr(source == std::string::npos ? place.rfind('/') + 1 : source + 1);
}

// Whether the function lies between the solution's code and the system.
bool isOurs(const std::string& function, const std::string& place)
{
    const auto has = [](const std::string& text, std::string_view part) {
        return text.find(part) != std::string::npos;
    };
    if (function == "??" || has(place, "/recorder/") || has(place, "/include/")) return true;
    return shortPlace(place).empty() && (function.starts_with("std::") || has(function, "Noted<"));
}

// Whether the function is one from which a2 calls the solution.
bool isBelow(const std::string& function)
{
    return std::any_of(std::begin(callers), std::end(callers),
                       [&](std::string_view one) { return function.find(one) != std::string::npos; });
}

}  // namespace

std::string placesText(const std::string& offsets, const std::string& library)
{
    std::vector<std::string> words = {"-C", "-f", "-i", "-e", library};
    const std::vector<std::string> addresses = addressesIn(offsets);
    if (addresses.empty()) return "";
    words.insert(words.end(), addresses.begin(), addresses.end());
    ProcessLimits limits;
    limits.time = std::chrono::seconds(5);
    const ProcessResult said = runProcess("addr2line", words, limits);
    if (!said.succeeded()) return "";
    const bool recursion = isRecursion(offsets);
    std::vector<std::string> places;
    std::istringstream lines(said.output);
    for (std::string function, place; std::getline(lines, function) && std::getline(lines, place);) {
        if (isBelow(function) || places.size() == mostPlaces) break;
        if (isOurs(function, place)) continue;
        if (function.starts_with("std::")) function = "a lambda";  // as seen when a library calls it
        const std::string where = shortPlace(place);
        std::string text = printableText(shortName(function) + (where.empty() ? "" : fmt::format(" ({})", where)));
        if (!recursion || std::ranges::find(places, text) == places.end()) places.push_back(std::move(text));
    }
    if (places.empty()) return "";
    if (recursion)
        return fmt::format("; its stack is full, for it calls itself without an end: {}", fmt::join(places, ", "));
    return fmt::format("; it was in {}", fmt::join(places, ", called from "));
}

}  // namespace a2
