// GLSL expressions for a2 debug: names, members, elements, operators, conversions; no assignments.
#pragma once

#include "spirv/EmulatorStops.h"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace a2::debug {

// The meanings of names.
struct Scope {
    const emulator::Standing& here;
    std::uint32_t invocation = 0;
    const std::map<std::string, const EmulatedBuffer*>& buffers;  // by these names unless the kernel has them

    std::optional<emulator::Spot> find(const std::string& name) const;
};

// The value of an expression: a place in memory, or a calculated number.
struct Value {
    std::optional<emulator::Spot> spot;
    emulator::SpotNumber number;  // if there is no spot

    bool isNumber() const;  // and has no parts
};

class Expression {
public:
    // Throws UsageError, with the place, if it is no expression.
    explicit Expression(std::string text);
    ~Expression();
    Expression(Expression&&) noexcept;
    Expression& operator=(Expression&&) noexcept;

    const std::string& text() const { return text_; }
    // Throw UsageError for a name that is unknown there, an index past the end, a division by 0; the second also for
    // what is no single number, or was never set.
    Value value(const Scope& scope) const;
    bool isTrue(const Scope& scope) const;

    struct Node;

private:
    std::string text_;
    std::unique_ptr<const Node> root_;
};

// `33` and `lane < 4` of `33 if lane < 4`; the second is empty without an `if`. Throws UsageError if nothing follows
// the `if`.
std::pair<std::string, std::string> splitAtIf(const std::string& text);

// The value as a single number. Throws UsageError.
emulator::SpotNumber numberOf(const Value& value, const emulator::Standing& here, const std::string& name);

}  // namespace a2::debug
