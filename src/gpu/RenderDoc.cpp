#include "gpu/RenderDoc.h"

#include "a2/Error.h"
#include "files/OutputFile.h"
#include "files/Utf8Path.h"
#include "gpu/ClosedPorts.h"
#include "gpu/LibrarySearch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>

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

#ifdef _WIN32
constexpr const char* libraryName = "renderdoc.dll";
#else
constexpr const char* libraryName = "librenderdoc.so";
#endif

}  // namespace

bool RenderDoc::installed() { return isLibraryInstalled(libraryName); }

bool RenderDoc::builtWithHeader() { return A2_HAS_RENDERDOC; }

#if A2_HAS_RENDERDOC

namespace fs = std::filesystem;

namespace {

void* findEntryPoint()
{
#ifdef _WIN32
    const HMODULE library = LoadLibraryA(libraryName);
    return library ? reinterpret_cast<void*>(GetProcAddress(library, "RENDERDOC_GetAPI")) : nullptr;
#else
    void* library = dlopen(libraryName, RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, "RENDERDOC_GetAPI") : nullptr;
#endif
}

using Api = RENDERDOC_API_1_4_0;

// A folder beside the target for RenderDoc to write into: RenderDoc chooses the file's name itself, and in this folder
// it cannot overwrite a file of the user's.
class Workplace {
public:
    explicit Workplace(const fs::path& beside)
        : folder_(unforeseenName(beside)),
          folderLeft_(folder_, Leftover::Kind::folder),
          captureLeft_(folder_ / "capture_capture.rdc", Leftover::Kind::file)  // the name that RenderDoc will choose
    {
        std::error_code error;
        if (!fs::create_directory(folder_, error))
            throw UsageError(fmt::format("no folder can be made in {}: {}; choose another path", utf8Of(beside),
                                         error ? error.message() : "its name is taken"));
    }
    ~Workplace()
    {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    Workplace(const Workplace&) = delete;
    Workplace& operator=(const Workplace&) = delete;

    std::string pathTemplate() const { return utf8Of(fs::absolute(folder_) / "capture"); }

private:
    fs::path folder_;
    Leftover folderLeft_, captureLeft_;
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

// A capture is a header and sections, one after the other, up to the end of the file. If the disk is full, RenderDoc
// still reports success; only this chain shows that the file was cut off.
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
    keepPortsClosed();
    const auto getApi = reinterpret_cast<pRENDERDOC_GetAPI>(findEntryPoint());
    void* api = nullptr;
    if (!getApi || !getApi(eRENDERDOC_API_Version_1_4_0, &api) || !api) return std::nullopt;
    // Without this, --validation would report nothing: RenderDoc keeps messages from the application's own messenger.
    static_cast<Api*>(api)->SetCaptureOptionU32(eRENDERDOC_Option_DebugOutputMute, 0);
    return RenderDoc(api);
}

void RenderDoc::capture(OutputFile& target, const std::string& comments, const std::function<void()>& work) const
{
    const Api& api = *static_cast<const Api*>(api_);
    const Workplace workplace(target.folder());
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
        throw EnvironmentError("RenderDoc wrote no capture: look into its log, or choose another path for it");
    // RenderDoc silently drops comments that are made before the file exists.
    if (!comments.empty()) api.SetCaptureFileComments(utf8Of(file).c_str(), comments.c_str());
    if (!isWholeCapture(file))
        throw EnvironmentError("RenderDoc's capture is not whole: is the disk full? Make room, or choose another path");
    target.commitFile(file);
}

#else

std::optional<RenderDoc> RenderDoc::load() { return std::nullopt; }

void RenderDoc::capture(OutputFile&, const std::string&, const std::function<void()>&) const
{
    throw EnvironmentError("a2 was built without RenderDoc: install librenderdoc-dev and build again");
}

#endif

}  // namespace a2
