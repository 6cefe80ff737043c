// Folders of deliberately changed kernels.
#pragma once

#include "support/temporary.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace a2 {

// A copy of shaders/ in which the first `from` of one file is replaced; change() makes further replacements. Throws if
// a file contains no `from`.
class ChangedShaders {
public:
    ChangedShaders(const std::string& file, const std::string& from, const std::string& to)
        : folder_(temporaryPath("a2-changed-shaders"))
    {
        std::filesystem::copy(A2_SHADERS, folder_, std::filesystem::copy_options::recursive);
        change(file, from, to);
    }
    void change(const std::string& file, const std::string& from, const std::string& to)
    {
        std::ifstream in(folder_ / file);
        std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        const std::size_t at = text.find(from);
        if (at == std::string::npos)
            throw std::runtime_error(file + " no longer holds '" + from + "': this test must follow it");
        line_ = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
        in.close();
        std::ofstream(folder_ / file) << text.replace(at, from.size(), to);
    }
    ~ChangedShaders() { std::filesystem::remove_all(folder_); }
    ChangedShaders(const ChangedShaders&) = delete;
    ChangedShaders& operator=(const ChangedShaders&) = delete;

    std::string path() const { return folder_.string(); }
    // Line number of the last change in its file, from 1.
    std::ptrdiff_t line() const { return line_; }

private:
    std::filesystem::path folder_;
    std::ptrdiff_t line_ = 0;
};

}  // namespace a2
