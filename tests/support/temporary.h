// Names for temporary files that no other test has chosen, even if it runs at the same time.
#pragma once

#include <filesystem>
#include <random>
#include <string>

namespace a2 {

inline std::filesystem::path temporaryPath(const std::string& stem)
{
    std::random_device random;
    return std::filesystem::temp_directory_path() /
           (stem + "-" + std::to_string(random()) + "-" + std::to_string(random()));
}

}  // namespace a2
