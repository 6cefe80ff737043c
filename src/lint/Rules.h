// The contract's rules, each once: name, whether it fails a row, and its cure. docs/rules.md explains them.
#pragma once

#include "lint/Finding.h"

#include <span>
#include <string_view>

namespace a2 {

struct Rule {
    const char* name;
    const char* cure;  // what to do, as the end of a sentence
    Severity severity = Severity::failure;
    bool spelledOut = false;  // its messages end with a cure of their own, for the very place
};

std::span<const Rule> allRules();
const Rule* ruleOf(std::string_view name);  // null for what is no rule: no name, or the layer's "validation"

}  // namespace a2
