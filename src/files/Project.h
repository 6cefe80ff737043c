// Whose files a2 works on: those of the project that it was built in or, where it was installed from a package, those
// of the student's folder that it is started in (docs/packages.md).
#pragma once

#include <filesystem>

namespace a2 {

// The parts of a package, below the folder that bin/a2 lies in.
struct Installation {
    std::filesystem::path programs;  // lib/a2: the worker, the library of the solutions that nobody has written yet
    std::filesystem::path student;   // lib/a2/student: what host code is linked with
    std::filesystem::path shared;    // share/a2: headers, the template of a student's folder, tools
};

// Null for an a2 that runs where it was built.
const Installation* installation();

// With shaders/, src/ and course.ini. Of an installed a2 it is the nearest one around the working directory.
const std::filesystem::path& projectFolder();
// Whether there is one: an installed a2 may be started anywhere.
bool hasProject();

// Whether it has what a course hands out: course.ini and shaders/.
bool isStudentFolder(const std::filesystem::path& folder);

// Of the scripts that commands start: tools/.
std::filesystem::path toolsFolder();

// Its shaders/; empty without a project.
std::filesystem::path projectShaders();

}  // namespace a2
