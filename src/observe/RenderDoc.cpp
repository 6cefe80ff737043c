#include "observe/RenderDoc.h"

#include "Utf8Path.h"
#include "a2/Error.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

#if A2_HAS_RENDERDOC
#include <renderdoc_app.h>
#endif

namespace a2 {

namespace {

void* findEntryPoint()
{
#ifdef _WIN32
    const HMODULE library = LoadLibraryA("renderdoc.dll");
    return library ? reinterpret_cast<void*>(GetProcAddress(library, "RENDERDOC_GetAPI")) : nullptr;
#else
    void* library = dlopen("librenderdoc.so", RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, "RENDERDOC_GetAPI") : nullptr;
#endif
}

}  // namespace

bool RenderDoc::installed() { return findEntryPoint() != nullptr; }

bool RenderDoc::builtWithHeader() { return A2_HAS_RENDERDOC; }

#if A2_HAS_RENDERDOC

namespace fs = std::filesystem;

namespace {

using Api = RENDERDOC_API_1_4_0;

[[noreturn]] void refuse(const fs::path& path, const std::string& why)
{
    throw UsageError(fmt::format("{} cannot be written: {}; choose another path", utf8Of(path), why));
}

// A folder beside the target for RenderDoc to write into: it chooses the file's name itself, and there it cannot hit
// anything of the user's.
class Workplace {
public:
    explicit Workplace(const fs::path& wanted) : target_(wanted)
    {
        std::error_code error;
        for (int hops = 0; hops < 40 && fs::is_symlink(target_, error); ++hops)  // write where a link points
            target_ = target_.parent_path() / fs::read_symlink(target_, error);
        if (fs::is_symlink(target_, error)) refuse(wanted, "its symbolic links go in circles");
        if (fs::is_directory(target_, error)) refuse(wanted, "it is a folder");
        if (fs::exists(target_, error) && !fs::is_regular_file(target_, error))
            refuse(wanted, "it is a device or a pipe");
        folder_ = target_;
        folder_ += fmt::format(".a2-part-{:08x}", std::random_device()());
        if (!fs::create_directory(folder_, error)) refuse(wanted, error ? error.message() : "its name is taken");
    }
    ~Workplace()
    {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    std::string pathTemplate() const { return utf8Of(fs::absolute(folder_) / "capture"); }

    void publish(const fs::path& file) const
    {
        std::error_code error;
        fs::rename(file, target_, error);
        if (error) refuse(target_, error.message());
    }

private:
    fs::path target_, folder_;
};

template <class Number>
Number numberAt(std::ifstream& file, std::uint64_t offset)
{
    std::array<char, sizeof(Number)> bytes{};
    file.seekg(static_cast<std::streamoff>(offset));
    file.read(bytes.data(), bytes.size());
    Number number;
    std::memcpy(&number, bytes.data(), sizeof number);
    return number;
}

// A capture is a header and sections, one behind the other, up to the end of the file. Where the disk was full
// RenderDoc reports success all the same, and only this chain shows that the file was cut off.
bool isWholeCapture(const fs::path& path)
{
    constexpr std::uint32_t knownFormat = 0x102, sectionHeaderBytes = 40;
    std::error_code error;
    const std::uint64_t size = fs::file_size(path, error);
    std::ifstream file(path, std::ios::binary);
    std::array<char, 4> magic{};
    file.read(magic.data(), magic.size());
    if (error || !file || std::memcmp(magic.data(), "RDOC", magic.size()) != 0) return false;
    if (numberAt<std::uint32_t>(file, 8) != knownFormat) return static_cast<bool>(file);

    std::uint64_t section = numberAt<std::uint32_t>(file, 12);
    while (file && section < size) {
        const auto bytes = numberAt<std::uint64_t>(file, section + 8);
        const auto nameBytes = numberAt<std::uint32_t>(file, section + 36);
        if (bytes > size) return false;
        section += sectionHeaderBytes + nameBytes + bytes;
    }
    return file && section == size;
}

// The file that RenderDoc has written since it had `before` captures, or an empty path.
fs::path newCapture(const Api& api, std::uint32_t before)
{
    const std::uint32_t count = api.GetNumCaptures();
    std::uint32_t length = 0;
    if (count <= before || !api.GetCapture(count - 1, nullptr, &length, nullptr)) return {};
    std::u8string name(length, u8'\0');
    if (!api.GetCapture(count - 1, reinterpret_cast<char*>(name.data()), &length, nullptr)) return {};
    name.erase(std::find(name.begin(), name.end(), u8'\0'), name.end());  // the length counts the closing zero
    return fs::path(name);
}

}  // namespace

std::optional<RenderDoc> RenderDoc::load()
{
    const auto getApi = reinterpret_cast<pRENDERDOC_GetAPI>(findEntryPoint());
    void* api = nullptr;
    if (!getApi || !getApi(eRENDERDOC_API_Version_1_4_0, &api) || !api) return std::nullopt;
    // Otherwise --validation would stay silent: RenderDoc keeps messages from the application's own messenger.
    static_cast<Api*>(api)->SetCaptureOptionU32(eRENDERDOC_Option_DebugOutputMute, 0);
    return RenderDoc(api);
}

void RenderDoc::capture(const fs::path& target, const std::string& comments, const std::function<void()>& work) const
{
    const Api& api = *static_cast<const Api*>(api_);
    const Workplace workplace(target);
    api.SetCaptureFilePathTemplate(workplace.pathTemplate().c_str());
    const std::uint32_t before = api.GetNumCaptures();
    api.StartFrameCapture(nullptr, nullptr);
    if (!api.IsFrameCapturing())
        throw EnvironmentError(
            "RenderDoc is loaded but does not see the Vulkan device: register its layer, "
            "`renderdoccmd vulkanlayer --explain` shows how");
    try {
        work();
    } catch (const DeviceError&) {
        throw;  // ending the capture would wait for the device, or read from it
    } catch (...) {
        api.EndFrameCapture(nullptr, nullptr);  // DiscardFrameCapture crashes where there is no window (1.24)
        throw;
    }
    api.EndFrameCapture(nullptr, nullptr);  // returns 1 also where nothing was written

    const fs::path file = newCapture(api, before);
    if (file.empty())
        throw EnvironmentError(fmt::format(
            "RenderDoc wrote no capture for {}: look into its log, or choose another path", utf8Of(target)));
    // Comments made before the file exists are dropped in silence.
    if (!comments.empty()) api.SetCaptureFileComments(utf8Of(file).c_str(), comments.c_str());
    if (!isWholeCapture(file))
        throw EnvironmentError(
            fmt::format("RenderDoc's capture for {} is not whole: is the disk full? Make room, or "
                        "choose another path",
                        utf8Of(target)));
    workplace.publish(file);
}

#else

std::optional<RenderDoc> RenderDoc::load() { return std::nullopt; }

void RenderDoc::capture(const std::filesystem::path&, const std::string&, const std::function<void()>&) const
{
    throw EnvironmentError("a2 was built without RenderDoc: install librenderdoc-dev and build again");
}

#endif

}  // namespace a2
