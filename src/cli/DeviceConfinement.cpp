#include "cli/DeviceConfinement.h"

#include "base/BuildFacts.h"
#include "base/Confinement.h"
#include "base/Process.h"
#include "base/Sanitized.h"
#include "files/Project.h"
#include "files/Utf8Path.h"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#ifndef _WIN32
#include <unistd.h>
#endif

namespace a2 {

namespace {

namespace fs = std::filesystem;

std::string fromEnvironment(const char* name)
{
    const char* const value = std::getenv(name);
    return value ? value : "";
}

// Adds what all users may read in a folder of the system's: neither passwords nor keys.
void addReadable(std::vector<std::string>& read, const fs::path& folder)
{
    std::error_code error;
    for (fs::directory_iterator one(folder, error), end; !error && one != end; one.increment(error)) {
        std::error_code gone;
        const fs::perms rights = fs::status(one->path(), gone).permissions();
        if (!gone && (rights & fs::perms::others_read) != fs::perms::none) read.push_back(one->path().string());
    }
}

// Adds files and folders named, separated by ':', in variables of the loader, of drivers and of the system.
void addNamed(std::vector<std::string>& read)
{
    constexpr std::array names = {"VK_DRIVER_FILES",
                                  "VK_ADD_DRIVER_FILES",
                                  "VK_ICD_FILENAMES",
                                  "VK_LAYER_PATH",
                                  "VK_ADD_LAYER_PATH",
                                  "LD_PRELOAD",
                                  "XDG_DATA_DIRS",
                                  "XDG_CONFIG_DIRS",
                                  "XDG_DATA_HOME",
                                  "XDG_CONFIG_HOME",
                                  "DRIRC_CONFIGDIR",
                                  "LIBGL_DRIVERS_PATH",
                                  "__EGL_VENDOR_LIBRARY_DIRS",
                                  "VK_IMPLICIT_LAYER_PATH",
                                  "VK_LAYER_SETTINGS_PATH",
                                  "PATH"};
    for (const char* name : names) {
        const std::string value = fromEnvironment(name);
        for (std::size_t from = 0; from < value.size();) {
            const std::size_t end = std::min(value.find(':', from), value.size());
            const fs::path one = value.substr(from, end - from);
            if (one.is_absolute()) read.push_back(one.string());
            // A driver's manifest may name a library beside it.
            if (one.is_absolute() && one.has_extension()) read.push_back(one.parent_path().string());
            from = end + 1;
        }
    }
}

// Adds what is needed to create the file, remove it, and put it in place of another.
void addTarget(std::vector<std::string>& write, const std::string& file)
{
    if (file.empty()) return;
    std::error_code error;
    const fs::path path = fs::weakly_canonical(pathOf(file), error);
    write.push_back(error || !path.has_parent_path() ? "." : path.parent_path().string());
}

// A program with root's rights creates NVIDIA's device files if they do not exist yet.
bool driverMayNeedRights()
{
    std::error_code ignored;
    return fs::exists("/usr/bin/nvidia-modprobe", ignored) && !fs::exists("/dev/nvidiactl", ignored);
}

}  // namespace

void confineDevice(const Options& options)
{
    // Confinement would also refuse a sanitizer's own reads of the process. A jail's program needs its own rights to
    // make a jail.
    if (A2_IS_SANITIZED || std::getenv("A2_UNCONFINED") || options.command->unconfined || !options.gpu.jail.empty() ||
        driverMayNeedRights())
        return;
    Confinement to;
    to.startsPrograms = true;
    to.read = {"/usr",       "/lib",       "/lib64", "/lib32", "/bin", "/sbin",    "/opt",
               "/nix/store", "/gnu/store", "/sys",   "/proc",  "/run", "/var/lib", "/snap"};
    const std::vector<std::string> libraries = foldersOfLibraries();
    to.read.insert(to.read.end(), libraries.begin(), libraries.end());
    addReadable(to.read, "/etc");
    addNamed(to.read);
    to.write = {"/dev", "/tmp", "/var/tmp", "/proc/self"};
    for (const char* name : {"TMPDIR", "TMP", "TEMP", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR", "MESA_SHADER_CACHE_DIR",
                             "MESA_GLSL_CACHE_DIR", "__GL_SHADER_DISK_CACHE_PATH"})
        if (const std::string folder = fromEnvironment(name); !folder.empty()) to.write.push_back(folder);
    if (const std::string home = fromEnvironment("HOME"); !home.empty()) {
        // A driver would create it (XDG Base Directory Specification), and prints a message if it may not.
        std::error_code isThere;
        const fs::path cache = pathOf(home + "/.cache");
        if (fs::create_directory(cache, isThere)) fs::permissions(cache, fs::perms::owner_all, isThere);
        for (const char* folder : {"/.cache", "/.nv"}) to.write.push_back(home + folder);
        for (const char* file :
             {"/.config/vulkan", "/.gitconfig", "/.config/git", "/.local/share/vulkan", "/.drirc", "/.local/lib"})
            to.read.push_back(home + file);
    }

    std::string ignored;
    const fs::path own = pathOf(ownProgram(ignored)), project = projectFolder();
    to.read.push_back(utf8Of(own.parent_path()));
    if (hasProject()) to.read.push_back(utf8Of(project));  // git reads the commit from it
    if (const Installation* const installed = installation())
        for (const fs::path& one : {installed->programs, installed->shared}) to.read.push_back(utf8Of(one));
    if (const fs::path compiler = pathOf(buildFacts.glslang); compiler.is_absolute())
        to.read.push_back(utf8Of(compiler.parent_path().parent_path()));
    for (const std::string& one :
         {options.gpu.shaderDir, options.solutions, options.recordingFile, options.recordingsFile, options.deviceOf})
        if (!one.empty()) to.read.push_back(one);
    to.read.insert(to.read.end(), options.inputFiles.begin(), options.inputFiles.end());
    for (const auto& [option, file] : options.reports) addTarget(to.write, file);
    for (const std::string& one : {options.pageFile, options.outputFile, options.recordOnly, options.dumpFolder})
        addTarget(to.write, one);
    if (options.command == &Subcommand::record) to.write.emplace_back(".");  // the file is named after the task
    confine(to);
}

}  // namespace a2
