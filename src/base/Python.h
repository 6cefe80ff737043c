// Runs Python, for the scripts that commands start.
#pragma once

#include "base/Process.h"

#include <string>
#include <vector>

namespace a2 {

// runProcess with the machine's Python. On Windows it has other names, and "python3" may only be a program that
// advertises one.
inline ProcessResult runPython(const std::vector<std::string>& arguments, const ProcessLimits& limits = {})
{
#ifdef _WIN32
    constexpr int notInstalled = 9009;  // exit status of that advertisement
    for (const char* name : {"py", "python"}) {
        ProcessResult result = runProcess(name, arguments, limits);
        if (result.ended != ProcessResult::Ended::notStarted && result.status != notInstalled) return result;
    }
#endif
    return runProcess("python3", arguments, limits);
}

}  // namespace a2
