// Scopes and variables of the Debug Adapter Protocol. Their numbers are valid until the walk goes on.
#pragma once

#include "annexes/debug/View.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace a2::debug {

class DapVariables {
public:
    void forget() { all_.clear(); }  // call when the walk goes on

    // In the protocol's form, for this invocation at its present place.
    nlohmann::json scopes(const View& view);
    // Of a scope or of a variable with parts; count 0: all. Throws UsageError for an unknown number.
    nlohmann::json variables(const View& view, std::uint64_t number, std::uint64_t start, std::uint64_t count);
    // {"result": ..., "variablesReference": ...}
    nlohmann::json evaluated(const View& view, const std::string& expression);
    // The expression for a variable in this scope or variable.
    std::string expressionOf(std::uint64_t number, const std::string& name) const;

private:
    struct Held {
        std::string expression;          // empty for a scope
        std::vector<std::string> names;  // of a scope
        std::optional<emulator::Spot> spot;
        std::uint32_t invocation = 0;
    };
    std::uint64_t hold(Held held);
    nlohmann::json variable(const View& view, const std::string& name, const std::string& expression,
                            const emulator::Spot& spot);

    std::vector<Held> all_;  // by their numbers, from 1
};

}  // namespace a2::debug
