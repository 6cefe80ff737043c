#include "report/ElementGrid.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace a2 {

namespace {

constexpr std::uint64_t shownWhole = 64;  // elements

std::string cell(const ElementGrid& grid, std::uint64_t i, const ConsoleStyle& style)
{
    const bool wrong = grid.wrong && grid.wrong(i), changed = grid.changed && grid.changed(i);
    const char* mark = wrong ? "!" : changed && !style.colour ? "*" : "";
    const std::string text = fmt::format("{:>{}}", fmt::format("{}{}", mark, grid.number(i)), grid.digits + 2);
    return wrong ? coloured(text, "1;31", style) : changed ? coloured(text, "1;32", style) : text;
}

std::size_t indexDigitsOf(const ElementGrid& grid) { return fmt::formatted_size("{}", grid.size - 1); }

// Elements in a row: a power of two, so that borders of blocks fall on borders of rows.
std::uint64_t rowLength(const ElementGrid& grid)
{
    std::uint64_t cells = 16;
    while (cells > 2 && 4 + indexDigitsOf(grid) + 1 + cells * (grid.digits + 2) > lineColumns) cells /= 2;
    return cells;
}

std::string rows(const ElementGrid& grid, std::uint64_t first, std::uint64_t end, const ConsoleStyle& style)
{
    const std::uint64_t length = rowLength(grid);
    std::string text;
    for (std::uint64_t row = first / length * length; row < end; row += length) {
        text += fmt::format("    {:>{}}:", row, indexDigitsOf(grid));
        for (std::uint64_t i = row; i < std::min<std::uint64_t>(row + length, grid.size); ++i)
            text += cell(grid, i, style);
        text += "\n";
    }
    return text;
}

// Long arrays: the rows of the first and last changed element, and of the first wrong one.
std::string excerpt(const ElementGrid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style)
{
    std::uint64_t first = 0, last = grid.size - 1;
    if (grid.changed) {
        while (first < last && !grid.changed(first)) ++first;
        while (last > first && !grid.changed(last)) --last;
    }
    std::vector<std::uint64_t> points = {first, last};
    if (wrong) points.push_back(*wrong);
    std::sort(points.begin(), points.end());
    const std::uint64_t length = rowLength(grid);
    std::string text;
    std::optional<std::uint64_t> shown;
    for (const std::uint64_t point : points) {
        const std::uint64_t row = point / length;
        if (shown == row) continue;
        if (shown && row > *shown + 1) text += fmt::format("    {:>{}}\n", "...", indexDigitsOf(grid));
        text += rows(grid, point, point + 1, style);
        shown = row;
    }
    return text;
}

}  // namespace

std::string gridText(const ElementGrid& grid, const std::optional<std::uint64_t>& wrong, const ConsoleStyle& style)
{
    return grid.size <= shownWhole ? rows(grid, 0, grid.size, style) : excerpt(grid, wrong, style);
}

std::string verdictColoured(StepVerdict verdict, const ConsoleStyle& style)
{
    const char* code = verdict == StepVerdict::ok ? "32" : verdict == StepVerdict::wrong ? "1;31" : "33";
    return coloured(verdictText(verdict), code, style);
}

}  // namespace a2
