// Something wrong that is no wrong element: a rule that was broken, and where.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace a2 {

struct Finding {
    std::string rule;                       // of the lint; "validation" for the layer's words; empty for other reasons
    std::string message;                    // one line
    std::optional<std::uint64_t> dispatch;  // its number, from 0

    std::string text() const { return rule.empty() ? message : rule + ": " + message; }
    bool operator==(const Finding&) const = default;
};

}  // namespace a2
