// Preloaded into a2, stands for a machine without a Vulkan loader: opening one fails, everything else opens.

#include <dlfcn.h>

#include <cstring>

extern "C" void* dlopen(const char* file, int mode)
{
    if (file && std::strstr(file, "libvulkan")) return nullptr;
    using Open = void* (*)(const char*, int);
    static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
    return next(file, mode);
}
