// Where in a library's code a thread was, in words, if binutils' addr2line is installed.
#pragma once

#include <string>

namespace a2 {

// offsets: hexadecimal offsets into the library's file, separated by blanks, innermost first; any other words are
// ignored. Returns "; it was in Sequential::record() (src/A2Task1Solution/Sequential.cpp:40), called from ...", or an
// empty text.
std::string placesText(const std::string& offsets, const std::string& library);

}  // namespace a2
