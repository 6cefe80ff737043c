// Which known word somebody may have meant.
#pragma once

#include <string>
#include <vector>

namespace a2 {

// The word of `known` that takes the fewest single characters to put in, take out or replace (Levenshtein) to make it
// of `word`; the first of several. Empty where all take more than a slip of the hand.
std::string nearWord(const std::string& word, const std::vector<std::string>& known);

}  // namespace a2
