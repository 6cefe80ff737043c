// What `a2 --version` and `a2 version` print.
#pragma once

#include <string>

namespace a2 {

// "a2 1.0.0 (reports 2, recordings 2)": the versions of a2, of its JSON, and of the recordings that it reads.
std::string versionLine();

// That line, and the facts of this build.
std::string versionText();

}  // namespace a2
