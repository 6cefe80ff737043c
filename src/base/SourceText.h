// Lines of a source file, for messages about them.
#pragma once

#include <cstdint>
#include <string>

namespace a2 {

// Line `number` of a text, counted from 1, and the last line before it that is not empty; both without white space at
// their ends. A longer line is cut to its first 160 bytes, and " ...".
struct SourceLine {
    std::string text, before;

    bool operator==(const SourceLine&) const = default;
};
SourceLine sourceLine(const std::string& text, std::uint64_t number);

// " `sum += a;`, after `barrier();`"; empty for an empty line.
std::string quoted(const SourceLine& line);

}  // namespace a2
