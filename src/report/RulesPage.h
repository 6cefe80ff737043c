// docs/rules.md, which a2 carries with it: what each rule means, an example, and the cure at length.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace a2 {

std::string_view rulesPage();

// What that page says of a rule, for a console of so many columns; empty: nothing.
std::optional<std::string> explainRule(std::string_view page, std::string_view rule, std::size_t columns);

}  // namespace a2
