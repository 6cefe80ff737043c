// docs/rules.md, which is part of the program: the meaning of each rule, an example, and the cure in full.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace a2 {

std::string_view rulesPage();

// That page's text on a rule, for a console with this many columns; empty: it has none.
std::optional<std::string> explainRule(std::string_view page, std::string_view rule, std::size_t columns);

}  // namespace a2
