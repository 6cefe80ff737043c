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

    // The compiler that the environment variable CXX names, g++ or clang++; null for none.
    static const std::optional<StudentCompiler>& here();
    // Why CXX is not used although it is set; empty: it is used, or not set.
    static std::string unusable();

    static ProcessLimits limits();
    // Runs it with English messages, so that errors can be found in them.
    ProcessResult run(std::vector<std::string> words) const;

    // The options for each file, which tools/grade uses, too: those of the recorder, which the objects are linked with,
    // and the project's warnings (src/worker/student_options).
    static std::vector<std::string> options();
    // What follows the objects when they are linked: lib/a2/student/linking (tools/install.cmake).
    static std::vector<std::string> linking();

    // A precompiled header: a2/Solution.h with all of Vulkan-Hpp, which takes most of each file's time. Empty where
    // there is none yet; the call then starts to make one for all folders, for the next time. That takes ten seconds of
    // one core, and goes on when this program has ended. Nothing is started where there is no folder to keep it in.
    std::filesystem::path readAhead() const;
};

}  // namespace a2
