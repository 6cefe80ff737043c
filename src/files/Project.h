// Which project's files a2 works on: those of the project that it was built in or, if it was installed from a package,
// those of the student's folder that it is started in (docs/packages.md).
#pragma once

#include <filesystem>

namespace a2 {

// The parts of a package, in the folder that contains bin/a2.
struct Installation {
    std::filesystem::path programs;  // lib/a2: the worker, and the library built from the solutions as handed out
    std::filesystem::path student;   // lib/a2/student: what host code is linked with
    std::filesystem::path shared;    // share/a2: headers, the template of a student's folder, tools
};

// Null if a2 runs where it was built.
const Installation* installation();

// The folder with shaders/, src/ and course.ini. An installed a2 takes the nearest one around the working directory.
const std::filesystem::path& projectFolder();
// Whether there is a project: an installed a2 may be started anywhere.
bool hasProject();

// Whether the folder has what a course hands out: course.ini and shaders/.
bool isStudentFolder(const std::filesystem::path& folder);

// The folder of the scripts that commands start: tools/.
std::filesystem::path toolsFolder();

// The project's shaders/; empty without a project.
std::filesystem::path projectShaders();

}  // namespace a2
