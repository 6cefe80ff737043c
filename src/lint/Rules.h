// The contract's rules, each in one place: name, whether it fails a row, and its cure. docs/rules.md explains them.
#pragma once

#include "lint/Finding.h"

#include <span>
#include <string_view>

namespace a2 {

struct Rule {
    const char* name;
    const char* cure;  // what to do, as the end of a sentence
    Severity severity = Severity::failure;
    bool spelledOut = false;  // its messages end with a specific cure
};

std::span<const Rule> allRules();
const Rule* ruleOf(std::string_view name);  // null for other names: an empty one, or the layer's "validation"

}  // namespace a2
