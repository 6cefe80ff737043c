// What compilers and linkers write, read for the one line that says why a file is not used. A student's file has a say
// in all of it: no text is too long or too odd.
#pragma once

#include <string>
#include <vector>

namespace a2 {

// ":12 does not compile: ..." for the first error in the file of this name (without folders); "does not compile: ..."
// for the first one elsewhere, with its file and line. Empty where the output has no error.
std::string whyUncompiled(const std::string& output, const std::string& file);

// "does not link: ..." where the linker has found fault with the objects: names that are missing or defined twice, code
// that cannot be placed. Empty where something else went wrong, such as a full disk.
std::string whyUnlinked(const std::string& output);

// The files that a rule of make names after its colon, which a compiler has written: "a.o: a.cpp \\\n my\\ header.h".
std::vector<std::string> prerequisitesOf(const std::string& rule);

}  // namespace a2
