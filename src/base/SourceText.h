// Lines of somebody's source, for messages about them.
#pragma once

#include <cstdint>
#include <string>

namespace a2 {

// Line `number` of a text, from 1, and the one before it that is not empty; both without white space round them. Of a
// longer line the first 160 bytes, and " ...".
struct SourceLine {
    std::string text, before;

    bool operator==(const SourceLine&) const = default;
};
SourceLine sourceLine(const std::string& text, std::uint64_t number);

// " `sum += a;`, after `barrier();`"; empty for an empty line.
std::string quoted(const SourceLine& line);

}  // namespace a2
