#include "BrokenShaders.h"

#include <sstream>

namespace contract {

Words printedCommand(const std::string& out)
{
    const std::string before = "to see every step: a2 ";
    const std::size_t at = out.find(before);
    if (at == std::string::npos) return {};
    std::istringstream stream(linesOf(out.substr(at + before.size())).front());
    Words words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

}  // namespace contract
