#include "gpu/DriverManifests.h"

#include "files/Utf8Path.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name, const char* otherwise = "")
{
    const char* const value = std::getenv(name);
    return value && *value ? value : otherwise;
}

std::vector<fs::path> split(const std::string& list)
{
#ifdef _WIN32
    constexpr char separator = ';';
#else
    constexpr char separator = ':';
#endif
    std::vector<fs::path> parts;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(separator, begin), list.size());
        if (end > begin) parts.emplace_back(list.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

void addManifestsIn(const fs::path& folder, std::vector<fs::path>& manifests)
{
    std::error_code ignored;
    std::vector<fs::path> found;
    for (const auto& entry : fs::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".json") found.push_back(entry.path());
    std::sort(found.begin(), found.end());
    manifests.insert(manifests.end(), found.begin(), found.end());
}

// Finds them as the loader does (Vulkan loader, "Driver interface", "Driver Discovery").
std::vector<fs::path> manifests()
{
    std::vector<fs::path> all;
    const std::string named = variable("VK_DRIVER_FILES", variable("VK_ICD_FILENAMES").c_str());
    std::vector<fs::path> places = split(named);
    if (named.empty()) {
#ifndef _WIN32
        const std::string home = variable("HOME");
        for (const std::string& folders :
             {variable("XDG_CONFIG_HOME", (home + "/.config").c_str()), variable("XDG_CONFIG_DIRS", "/etc/xdg"),
              std::string("/etc"), variable("XDG_DATA_HOME", (home + "/.local/share").c_str()),
              variable("XDG_DATA_DIRS", "/usr/local/share:/usr/share")})
            for (const fs::path& folder : split(folders)) addManifestsIn(folder / "vulkan" / "icd.d", all);
#endif
        places = split(variable("VK_ADD_DRIVER_FILES"));
    }
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (fs::is_directory(place, ignored))
            addManifestsIn(place, all);
        else
            all.push_back(place);
    }
    return all;
}

#ifdef _WIN32

std::optional<std::string> whyNoDriver(const fs::path& library)
{
    const HMODULE opened = LoadLibraryW(library.c_str());
    if (!opened) return "it cannot be loaded";
    const bool driver =
        GetProcAddress(opened, "vk_icdGetInstanceProcAddr") || GetProcAddress(opened, "vkGetInstanceProcAddr");
    FreeLibrary(opened);
    return driver ? std::nullopt : std::optional<std::string>("it is no Vulkan driver");
}

#else

std::optional<std::string> whyNoDriver(const fs::path& library)
{
    void* const opened = dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (!opened) {
        const char* const why = dlerror();
        if (why && std::string(why).find("wrong ELF class") != std::string::npos) return {};  // for other programs
        return fmt::format("it cannot be loaded ({})", why ? why : "no reason given");
    }
    const bool driver = dlsym(opened, "vk_icdGetInstanceProcAddr") || dlsym(opened, "vkGetInstanceProcAddr");
    dlclose(opened);
    return driver ? std::nullopt : std::optional<std::string>("it is no Vulkan driver");
}

#endif

std::optional<std::string> fault(const fs::path& manifest)
{
    constexpr std::size_t most = std::size_t{1} << 20;  // bytes: a manifest has a few hundred
    std::error_code ignored;
    if (!fs::exists(manifest, ignored)) return "it is not there";
    if (!fs::is_regular_file(manifest, ignored)) return "it is no file";
    if (fs::file_size(manifest, ignored) > most) return "it is no driver manifest";
    std::ifstream file(manifest, std::ios::binary);
    if (!file) return "it cannot be opened";
    const auto json = nlohmann::json::parse(file, nullptr, false);
    if (json.is_discarded()) return "it is not JSON";
    const auto icd = json.find("ICD");
    if (!json.is_object() || icd == json.end() || !icd->is_object() || !icd->contains("library_path") ||
        !(*icd)["library_path"].is_string())
        return "it names no library";
    const std::string name = (*icd)["library_path"];
    // A name without folders is looked up where libraries are; any other name starts at the manifest's folder.
    fs::path library = pathOf(name);
    if (library.has_parent_path() && library.is_relative()) library = manifest.parent_path() / library;
    if (const auto why = whyNoDriver(library)) return fmt::format("it names {}, and {}", name, *why);
    if (!json.contains("file_format_version")) return "it has no file_format_version";
    return {};
}

}  // namespace

std::vector<std::string> brokenDriverManifests()
{
    std::vector<std::string> broken;
    for (const fs::path& manifest : manifests())
        if (const auto why = fault(manifest)) broken.push_back(fmt::format("{}: {}", utf8Of(manifest), *why));
    return broken;
}

}  // namespace a2
