// The allowed values, by their name in the help text.
#pragma once

#include "annexes/completion/CommandTable.h"

#include <string>
#include <vector>

namespace a2 {

struct Values {
    enum class Kind { words, files, folders, unknown };  // unknown: numbers, mostly
    Kind kind = Kind::unknown;
    std::vector<std::string> words;
};

Values valuesOf(const OptionEntry& option);

// Of all tasks.
std::vector<std::string> taskIds();

}  // namespace a2
