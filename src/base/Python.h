// Runs Python, for the scripts that commands start.
#pragma once

#include "base/Process.h"

#include <string>
#include <vector>

namespace a2 {

// Python's arguments for a script with its own. -I: nothing is imported out of the working folder, which may be
// somebody else's, or because of an environment variable. -B: nothing is left beside the script.
inline std::vector<std::string> pythonWords(const std::string& script, const std::vector<std::string>& arguments)
{
    std::vector<std::string> words = {"-I", "-B", script};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
}

// runProcess with the machine's Python. On Windows it has other names, and "python3" may only be a program that
// advertises one.
inline ProcessResult runPython(const std::string& script, const std::vector<std::string>& arguments,
                               const ProcessLimits& limits)
{
    const std::vector<std::string> words = pythonWords(script, arguments);
#ifdef _WIN32
    constexpr int notInstalled = 9009;  // exit status of that advertisement
    for (const char* name : {"py", "python"}) {
        ProcessResult result = runProcess(name, words, limits);
        if (result.ended != ProcessResult::Ended::notStarted && result.status != notInstalled) return result;
    }
#endif
    return runProcess("python3", words, limits);
}

}  // namespace a2
