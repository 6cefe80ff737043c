// What is known when a2 is built. It is in one small file, so that no other file must be recompiled when it changes.
#pragma once

namespace a2 {

// Texts live as long as the program.
struct BuildFacts {
    const char* version;         // of a2: "1.0.0"
    const char* commit;          // of a package: what it was made from; else empty
    const char* buildType;       // "Release"
    const char* compiler;        // its name and version: "GNU 12.2.0"
    const char* glslang;         // the GLSL compiler that compiled the kernels: a path
    const char* targetEnv;       // its --target-env: "vulkan1.1"
    const char* projectShaders;  // the project's folder of kernels: a path
    const char* workerFile;      // name of the program that student code runs in; beside a2
    const char* solutionsFile;   // name of the library of student code; beside a2
    const char* ranksFile;       // name of the module of MPI; beside a2 where that was found
};
extern const BuildFacts buildFacts;

}  // namespace a2
