// course.ini in the project's folder: what a course has its students type, without typing it.
//
//     a2 = 1.2
//     [run]
//     course = true
//
// The first line is for an a2 of this version or newer, as far as its first number is the same. A section has a
// command's name, and each of its lines a long option of it, as `a2 COMMAND --help` has it.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace a2 {

// Gives this command, which has been parsed, what course.ini has for it, but for options that were typed. Throws
// UsageError for a line that is about no command or none of its options, EnvironmentError for another version, and what
// CLI11 throws for a wrong value.
// Nothing happens where there is no such file. Returns the values, as the file has them.
std::vector<std::string> applyCourseFile(CLI::App& command);

}  // namespace a2
