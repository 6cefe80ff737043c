// What the Debug Adapter Protocol calls scopes and variables: by numbers that count while a walk stands still.
#pragma once

#include "annexes/debug/View.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace a2::debug {

class DapVariables {
public:
    void forget() { all_.clear(); }  // the walk goes on

    // As the protocol has them, of this invocation where it stands.
    nlohmann::json scopes(const View& view);
    // Of a scope or of a variable with parts; count 0: all. Throws UsageError for a number that is none.
    nlohmann::json variables(const View& view, std::uint64_t number, std::uint64_t start, std::uint64_t count);
    // {"result": ..., "variablesReference": ...}
    nlohmann::json evaluated(const View& view, const std::string& expression);
    // The expression for a variable in this scope or variable.
    std::string expressionOf(std::uint64_t number, const std::string& name) const;

private:
    struct Held {
        std::string expression;          // empty: of a scope
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
