// course.ini in the project's folder: options that apply to all students of a course without being typed.
//
//     a2 = 1.2
//     [run]
//     course = true
//
// The first line requires an a2 of this version or newer with the same first number. A section has a
// command's name, and each of its lines a long option of it, as in `a2 COMMAND --help`: what is run, how long, on what,
// and how much is shown.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace a2 {

// Sets the options of this command, which has been parsed, from course.ini, except those that were typed. Throws
// UsageError for a line that matches no command or none of its options, or has a wrong value, and EnvironmentError for
// another version. Does nothing if there is no such file. Returns the values, as the file has them.
std::vector<std::string> applyCourseFile(CLI::App& command);

}  // namespace a2
