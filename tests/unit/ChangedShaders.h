// Folders of deliberately changed kernels.
#pragma once

#include "support/temporary.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace a2 {

// A copy of shaders/ in which one piece of text is replaced.
class ChangedShaders {
public:
    ChangedShaders(const std::string& file, const std::string& from, const std::string& to)
        : folder_(temporaryPath("a2-changed-shaders"))
    {
        std::filesystem::copy(A2_SHADERS, folder_, std::filesystem::copy_options::recursive);
        std::ifstream in(folder_ / file);
        std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
        in.close();
        const std::size_t at = text.find(from);
        if (at == std::string::npos) {
            ADD_FAILURE() << file << " does not contain: " << from;
            return;
        }
        text.replace(at, from.size(), to);
        std::ofstream(folder_ / file) << text;
    }
    ~ChangedShaders() { std::filesystem::remove_all(folder_); }
    ChangedShaders(const ChangedShaders&) = delete;
    ChangedShaders& operator=(const ChangedShaders&) = delete;

    std::string path() const { return folder_.string(); }

private:
    std::filesystem::path folder_;
};

}  // namespace a2
