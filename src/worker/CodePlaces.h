// Where in the code of a library a thread was, in words, as far as binutils' addr2line is installed.
#pragma once

#include <string>

namespace a2 {

// offsets: into the library's file, hexadecimal, with blanks between them, innermost first; whatever else stands there
// is left out. "; it was in Sequential::record() (src/A2Task1Solution/Sequential.cpp:40), called from ...", or empty.
std::string placesText(const std::string& offsets, const std::string& library);

}  // namespace a2
