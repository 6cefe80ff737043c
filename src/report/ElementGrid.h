// Numbers of an array in rows, as `a2 steps` shows buffers and shared memory; and its verdicts.
#pragma once

#include "judge/StepModel.h"
#include "report/Text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace a2 {

// What to say about the elements of an array, one by one.
struct ElementGrid {
    std::uint64_t size = 0;
    std::size_t digits = 2;                            // of the longest
    std::function<std::string(std::uint64_t)> number;  // a dot where there is none
    std::function<bool(std::uint64_t)> changed = {};   // is marked
    std::function<bool(std::uint64_t)> wrong = {};     // is marked, too
};

// Short arrays whole; of long ones the rows of the first and last element that changed, and of the wrong one.
std::string gridText(const ElementGrid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style);

constexpr std::size_t verdictColumn = lineColumns - 10;  // where verdicts stand
std::string verdictColoured(StepVerdict verdict, const ConsoleStyle& style);

}  // namespace a2
