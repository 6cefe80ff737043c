// The numbers of an array in rows, as `a2 steps` shows buffers and shared memory; and its verdicts.
#pragma once

#include "judge/StepModel.h"
#include "report/Text.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace a2 {

// The text and the marks of an array's elements, one by one.
struct ElementGrid {
    std::uint64_t size = 0;
    std::size_t digits = 2;                            // of the longest number
    std::function<std::string(std::uint64_t)> number;  // a dot if there is none
    std::function<bool(std::uint64_t)> changed = {};   // gets a mark
    std::function<bool(std::uint64_t)> wrong = {};     // gets a mark, too
};

// Short arrays whole; of long ones the rows of the first and last element that changed, and of the wrong one.
std::string gridText(const ElementGrid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style);

constexpr std::size_t verdictColumn = lineColumns - 10;  // the column of verdicts
std::string verdictColoured(StepVerdict verdict, const ConsoleStyle& style);

}  // namespace a2
