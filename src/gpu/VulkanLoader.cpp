#include "gpu/VulkanLoader.h"

#include "a2/Error.h"
#include "gpu/EmulatedVulkan.h"

#include <uv.h>

#include <fmt/format.h>

namespace a2 {

namespace {

#if defined(_WIN32)
constexpr const char* names[] = {"vulkan-1.dll"};
#elif defined(__APPLE__)
constexpr const char* names[] = {"libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
constexpr const char* names[] = {"libvulkan.so.1", "libvulkan.so"};
#endif

struct Close {
    void operator()(uv_lib_t* library) const
    {
        uv_dlclose(library);
        delete library;
    }
};

}  // namespace

VulkanLoader::VulkanLoader()
{
    for (const char* name : names) {
        const std::shared_ptr<uv_lib_t> library(new uv_lib_t{}, Close());
        void* found = nullptr;
        if (uv_dlopen(name, library.get()) != 0 || uv_dlsym(library.get(), "vkGetInstanceProcAddr", &found) != 0)
            continue;
        library_ = library;
        getInstanceProcAddr_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(found);
        return;
    }
    throw EnvironmentError(
        fmt::format("no Vulkan loader on this machine: install libvulkan1 (Debian, Ubuntu), the Vulkan SDK (macOS, "
                    "Windows), or a graphics driver that brings one; {}",
                    withoutDriver));
}

}  // namespace a2
