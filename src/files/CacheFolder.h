// Where a2 keeps what can be made again.
#pragma once

#include <filesystem>

namespace a2 {

// The user's: XDG_CACHE_HOME/a2, or ~/.cache/a2. It need not exist; empty for nowhere.
std::filesystem::path cacheFolder();

}  // namespace a2
