// Which known word the user may have meant.
#pragma once

#include <string>
#include <vector>

namespace a2 {

// The word of `known` that is made of `word` with the fewest insertions, deletions and replacements of single
// characters (Levenshtein); the first of several. Empty where all of them need more changes than a typing error.
std::string nearWord(const std::string& word, const std::vector<std::string>& known);

}  // namespace a2
