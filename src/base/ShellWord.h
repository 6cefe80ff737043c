// Text that is pasted into a shell.
#pragma once

#include <string>

namespace a2 {

// As a shell takes it for one word: in quotes where it has to be.
std::string shellWord(const std::string& text);

// How to call this program again from the working directory, given how it was called (argv[0]).
std::string programWord(const std::string& calledAs);

}  // namespace a2
