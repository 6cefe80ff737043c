// Preloaded into a2, stands for a machine without a library: opening one whose name holds the text in A2_TEST_HIDDEN
// fails, everything else opens.

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
