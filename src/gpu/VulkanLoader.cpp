#include "gpu/VulkanLoader.h"

#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

namespace a2 {

namespace {

#ifdef _WIN32

constexpr const char* loaderNames[] = {"vulkan-1.dll"};
void* openLibrary(const char* name) { return LoadLibraryA(name); }
void closeLibrary(void* library) { FreeLibrary(static_cast<HMODULE>(library)); }
void* symbolOf(void* library, const char* name)
{
    return reinterpret_cast<void*>(GetProcAddress(static_cast<HMODULE>(library), name));
}

#else

#ifdef __APPLE__
constexpr const char* loaderNames[] = {"libvulkan.dylib", "libvulkan.1.dylib", "libMoltenVK.dylib"};
#else
constexpr const char* loaderNames[] = {"libvulkan.so.1", "libvulkan.so"};
#endif
void* openLibrary(const char* name) { return dlopen(name, RTLD_NOW | RTLD_LOCAL); }
void closeLibrary(void* library) { dlclose(library); }
void* symbolOf(void* library, const char* name) { return dlsym(library, name); }

#endif

}  // namespace

void VulkanLoader::Close::operator()(void* library) const { closeLibrary(library); }

VulkanLoader::VulkanLoader()
{
    for (const char* name : loaderNames) {
        library_.reset(openLibrary(name));
        if (!library_) continue;
        getInstanceProcAddr_ =
            reinterpret_cast<PFN_vkGetInstanceProcAddr>(symbolOf(library_.get(), "vkGetInstanceProcAddr"));
        if (getInstanceProcAddr_) return;
    }
    throw NoDriverError(
        "no Vulkan loader on this machine: install libvulkan1 (Debian, Ubuntu), the Vulkan SDK (macOS, "
        "Windows), or a graphics driver that brings one; ");
}

}  // namespace a2
