// Preloaded into a2, it imitates a machine without a library: opening a library whose name contains the text in
// A2_TEST_HIDDEN fails; all others open.

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>

extern "C" void* dlopen(const char* file, int mode)
{
    const char* hidden = std::getenv("A2_TEST_HIDDEN");
    if (file && hidden && std::strstr(file, hidden)) return nullptr;
    using Open = void* (*)(const char*, int);
    static const auto next = reinterpret_cast<Open>(dlsym(RTLD_NEXT, "dlopen"));
    return next(file, mode);
}
