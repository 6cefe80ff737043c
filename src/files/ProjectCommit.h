// Which commit the project that a2 works on is of.
#pragma once

#include <string>

namespace a2 {

// "34db546afc10", with "-dirty" after it where files differ from it; empty where git does not know.
std::string projectCommit();

}  // namespace a2
