// course.ini in the project's folder: what a course has its students type, without typing it.
//
//     [run]
//     course = true
//
// A section has a command's name, and each of its lines a long option of it, as `a2 COMMAND --help` has it.
#pragma once

namespace CLI {
class App;
}

namespace a2 {

// Gives this command, which has been parsed, what course.ini has for it, but for options that were typed. Throws
// UsageError for a line that is about no command or none of its options, and what CLI11 throws for a wrong value.
// Nothing happens where there is no such file.
void applyCourseFile(CLI::App& command);

}  // namespace a2
