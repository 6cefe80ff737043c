// The folder in which a2 keeps files that it can make again.
#pragma once

#include <filesystem>

namespace a2 {

// The user's: XDG_CACHE_HOME/a2, or ~/.cache/a2. It need not exist; empty if there is none.
std::filesystem::path cacheFolder();

}  // namespace a2
