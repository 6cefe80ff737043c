// For sanitizer builds. Keeps every shared library mapped until the program ends: the leak checker cannot name leaks of
// an unloaded Vulkan driver, and would report them as ours. The validation layer's own leaks are not ours either.

#include <dlfcn.h>

extern "C" int dlclose(void*) { return 0; }
extern "C" const char* __lsan_default_suppressions() { return "leak:libVkLayer_khronos_validation\n"; }
