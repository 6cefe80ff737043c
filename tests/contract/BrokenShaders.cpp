#include "BrokenShaders.h"

#include <algorithm>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace contract {

BrokenShaders::BrokenShaders(const std::string& file, const std::string& right, const std::string& wrong)
{
    std::filesystem::copy(A2_SHADERS, folder_.path(), std::filesystem::copy_options::recursive);
    std::string text = textOf(folder_ / file);
    const std::size_t at = text.find(right);
    if (at == std::string::npos)
        throw std::runtime_error(file + " no longer holds '" + right + "': this test must follow it");
    line_ = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    folder_.file(file, text.replace(at, right.size(), wrong));
}

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
