// The commit of the project that a2 works on.
#pragma once

#include <string>

namespace a2 {

// "34db546afc10", followed by "-dirty" where files differ from it, which an installed a2 does not find out; empty where
// git does not know it.
std::string projectCommit();

}  // namespace a2
