// The text of a kernel: from the folder of --shader-dir, from the project's shaders/ or, if the program was copied away
// from the project, from the program itself.
#pragma once

#include "base/ElementType.h"
#include "gpu/BuiltInShaders.h"
#include "gpu/KernelCompiler.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace a2 {

class KernelSources {
public:
    using Note = std::function<void(const std::string&)>;

    // folder: the one of --shader-dir; empty: none. Throws UsageError if it does not exist. jail: the compiler's.
    // project: a folder shaders/, which need not exist; without this argument projectShaders() (files/Project.h).
    explicit KernelSources(std::filesystem::path folder, Note note = {}, std::string jail = {});
    KernelSources(std::filesystem::path folder, Note note, std::string jail, std::filesystem::path project);

    // The kernel NAME.comp as it is now. It is the built-in one, unless a file that this was made from has changed, or
    // a file of --shader-dir replaces one; then the kernel is compiled, without --shader-dir with a note. Kernels and
    // included files that --shader-dir does not have are taken from the project. Throws CompileError if the kernel is
    // gone or does not compile, EnvironmentError if it must be compiled and cannot be.
    std::vector<std::uint32_t> spirv(const std::string& name);

    // For a kernel that the student writes. Throws CompileError if neither --shader-dir nor the student's folder has
    // it: a verdict about the built-in one would be about nothing.
    void mustBeHere(const std::string& name) const;

    // The element type that kernels are compiled for; kernels that do not include A2Element.h have uint32.
    const ElementType* element = &ElementType::uint32;
    bool saysElement(const std::string& name) const;
    std::span<const std::uint32_t> builtIn(const BuiltInShader& kernel) const;

    // The current text of a file of shaders/, "A2X.comp" or "include/A2X.h"; nothing where there is none.
    std::optional<std::string> textOf(const std::string& file) const;

    const KernelCompiler& compiler() const { return compiler_; }

private:
    bool lacksReals(const BuiltInShader& kernel) const;
    bool isCurrent(const BuiltInShader& kernel);
    std::vector<std::uint32_t> compiled(const std::string& name);
    void note(const std::string& text);

    std::filesystem::path folder_, project_;
    bool projectIsThere_;
    // False for a student's folder: files that it lacks are built in, and changes in it need no note.
    bool isWhole_;
    KernelCompiler compiler_;
    Note note_;
    std::set<std::string> noted_;
};

}  // namespace a2
