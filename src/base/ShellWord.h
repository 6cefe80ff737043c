// Text that is pasted into a shell.
#pragma once

#include <string>

namespace a2 {

// The text as one word of a shell: in quotes where needed.
std::string shellWord(const std::string& text);

// How to call this program again from the working directory, given how it was called (argv[0]).
std::string programWord(const std::string& calledAs);

}  // namespace a2
