#include "gpu/LibrarySearch.h"

#ifdef _WIN32

#include <windows.h>

namespace a2 {

bool isLibraryInstalled(const char* name) { return SearchPathA(nullptr, name, nullptr, 0, nullptr, nullptr) > 0; }

}  // namespace a2

#else

#include <array>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace a2 {

namespace {

namespace fs = std::filesystem;

// The class and machine in an ELF file's header (System V ABI, "ELF Header").
struct Kind {
    bool known = false;
    char elfClass = 0;
    std::array<char, 2> machine{};

    explicit Kind(const fs::path& file)
    {
        std::array<char, 20> head{};
        std::error_code ignored;
        if (!fs::is_regular_file(file, ignored)) return;
        known = std::ifstream(file, std::ios::binary).read(head.data(), head.size()) && std::memcmp(head.data(),
                                                                                                    "\x7f"
                                                                                                    "ELF",
                                                                                                    4) == 0;
        elfClass = head[4];
        machine = {head[18], head[19]};
    }
};

bool loadable(const fs::path& file)
{
    static const Kind own("/proc/self/exe");
    const Kind kind(file);
    return kind.known && (!own.known || (kind.elfClass == own.elfClass && kind.machine == own.machine));
}

// In every format of the cache, each library's path stands between two zero bytes.
bool inLinkersCache(const std::string& name)
{
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string cache((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    const std::string end = "/" + name + '\0';
    for (std::size_t at = cache.find(end); at != std::string::npos; at = cache.find(end, at + 1)) {
        const std::size_t begin = cache.rfind('\0', at) + 1;  // 0 if there is none
        if (loadable(cache.substr(begin, at + end.size() - 1 - begin))) return true;
    }
    return false;
}

}  // namespace

bool isLibraryInstalled(const char* name)
{
    const char* const chosen = std::getenv("LD_LIBRARY_PATH");
    const std::string folders = std::string(chosen ? chosen : "") + ":/lib:/usr/lib:/lib64:/usr/lib64:/usr/local/lib";
    for (std::size_t begin = 0; begin <= folders.size();) {
        const std::size_t end = std::min(folders.find_first_of(":;", begin), folders.size());
        if (end > begin && loadable(fs::path(folders.substr(begin, end - begin)) / name)) return true;
        begin = end + 1;
    }
    return inLinkersCache(name);
}

}  // namespace a2

#endif
