// Expressions of GLSL that a2 debug is asked for: names, members, elements, operators, conversions; no assignments.
#pragma once

#include "spirv/EmulatorStops.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace a2::debug {

// What names mean.
struct Scope {
    const emulator::Standing& here;
    std::uint32_t invocation = 0;
    const std::map<std::string, const EmulatedBuffer*>& buffers;  // known by these names where the kernel has no such

    std::optional<emulator::Spot> find(const std::string& name) const;
};

// What an expression is: something that lies somewhere, or a number that was calculated.
struct Value {
    std::optional<emulator::Spot> spot;
    emulator::SpotNumber number;  // where there is no spot

    bool isNumber() const;  // and nothing that has parts
};

class Expression {
public:
    // Throws UsageError, with the place, for what is none.
    explicit Expression(std::string text);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;

    const std::string& text() const { return text_; }
    // Throw UsageError for a name that means nothing there, an index past
    // the end, a division by 0; the second for what is no single number, or that nobody has set.
    Value value(const Scope& scope) const;
    bool isTrue(const Scope& scope) const;

    struct Node;

private:
    std::string text_;
    std::unique_ptr<const Node> root_;
};

// `33` and `lane < 4` of `33 if lane < 4`; the second is empty where there is no `if`. Throws UsageError where nothing
// follows it.
std::pair<std::string, std::string> splitAtIf(const std::string& text);

// The single number that a value is. Throws UsageError.
emulator::SpotNumber numberOf(const Value& value, const emulator::Standing& here, const std::string& name);

}  // namespace a2::debug
