// What `a2 --version` and `a2 version` print.
#pragma once

#include <string>

namespace a2 {

// "a2 1.0.0 (reports 2, recordings 2)": of a2, of the JSON that it writes, and of the recordings that it reads.
std::string versionLine();

// That line, and what this a2 was built from and with.
std::string versionText();

}  // namespace a2
