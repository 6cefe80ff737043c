#include "files/CacheFolder.h"

#include <cstdlib>

namespace a2 {

std::filesystem::path cacheFolder()
{
    const auto fromEnvironment = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::filesystem::path(value ? value : "");
    };
    if (const auto cache = fromEnvironment("XDG_CACHE_HOME"); cache.is_absolute()) return cache / "a2";
    const auto home = fromEnvironment("HOME");
    return home.is_absolute() ? home / ".cache" / "a2" : std::filesystem::path();
}

}  // namespace a2
