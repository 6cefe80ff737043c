// The scripts with which shells complete a2's command line, and its man page.
#pragma once

#include "annexes/completion/CommandTable.h"

#include <string>
#include <vector>

namespace a2 {

// For bash 4 or later; works without bash-completion.
std::string bashScript(const std::vector<CommandEntry>& table);
// For the function path of zsh, under the name _a2.
std::string zshScript(const std::vector<CommandEntry>& table);
std::string fishScript(const std::vector<CommandEntry>& table);
// In the man macros of roff (man(7)).
std::string manPage(const std::vector<CommandEntry>& table);

}  // namespace a2
