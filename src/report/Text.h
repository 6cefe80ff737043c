// Lines on the console: their colours and breaks, and parts that many of them share.
#pragma once

#include "a2/KernelShape.h"

#include <cstddef>
#include <string>

namespace a2 {

struct ConsoleStyle {
    bool verbose = false;
    bool colour = false;
    std::size_t columns = 0;  // break explanations at this width; 0: no breaks
    double copyPeakGBps = 0;  // for the share of it in verbose output; 0 if it was not measured
    bool checks = true;       // says how much was checked if nothing was timed
};

// In the colour of an ANSI code ("31" red, "32" green), if colours are wanted.
std::string coloured(const std::string& text, const char* code, const ConsoleStyle& style);

constexpr std::size_t lineColumns = 80;  // where reports for the console break their lines

// The line broken between words and indented; lines after a break are indented by `hang` more. Newline at the end.
std::string wrapped(const std::string& line, std::size_t indent, std::size_t columns, std::size_t hang = 4);

// "256 x 2"
std::string shapeText(const KernelShape& shape);

}  // namespace a2
