// What shells complete a2's command line with, and its page of the manual.
#pragma once

#include "annexes/completion/CommandTable.h"

#include <string>
#include <vector>

namespace a2 {

// For bash 4 or later, by itself: bash-completion need not be there.
std::string bashScript(const std::vector<CommandEntry>& table);
// For the function path of zsh, under the name _a2.
std::string zshScript(const std::vector<CommandEntry>& table);
std::string fishScript(const std::vector<CommandEntry>& table);
// In the man macros of roff (man(7)).
std::string manPage(const std::vector<CommandEntry>& table);

}  // namespace a2
