// Whether a shared library is on this machine, found out without loading it: loading some libraries has effects.
#pragma once

namespace a2 {

// Whether dlopen(name) (Windows: LoadLibrary) would find it: in LD_LIBRARY_PATH, the dynamic linker's cache or its
// usual folders, and made for this kind of processor.
bool isLibraryInstalled(const char* name);

}  // namespace a2
