// The C++ compiler of this machine, for the host code of a student's folder.
#pragma once

#include "base/Process.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace a2 {

struct StudentCompiler {
    std::string program, version;

    // The one that the environment's CXX names, g++ or clang++; null for none.
    static const std::optional<StudentCompiler>& here();

    static ProcessLimits limits();
    // In English, so that errors can be found in what it says.
    ProcessResult run(std::vector<std::string> words) const;

    // What each file is compiled with, by tools/grade too: as the recorder was, which the objects are linked with, and
    // with the project's warnings (src/worker/student_options).
    static std::vector<std::string> options();
    // What the objects are linked with, after them: lib/a2/student/linking (tools/install.cmake).
    static std::vector<std::string> linking();

    // A header that the compiler has read ahead: a2/Solution.h with all of Vulkan-Hpp, the most of each file's time.
    // Empty where it has not: then it begins to, once for all folders, for the next time. That goes on when this
    // program has ended, for ten seconds of one core. Nothing is begun where there is no folder to keep it in.
    std::filesystem::path readAhead() const;
};

}  // namespace a2
