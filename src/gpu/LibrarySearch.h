// Whether a shared library is on this machine, found out without loading it: some do things when they are loaded.
#pragma once

namespace a2 {

// A library that dlopen(name) (Windows: LoadLibrary) would find: in LD_LIBRARY_PATH, the dynamic linker's cache or its
// usual folders, and made for processors of this kind.
bool isLibraryInstalled(const char* name);

}  // namespace a2
