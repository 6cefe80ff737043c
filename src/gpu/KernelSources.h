// The text of a kernel: from the folder of --shader-dir, from the project's shaders/, or, where the program was copied
// away from the project, from the program itself.
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

    // folder: of --shader-dir; empty: none. Throws UsageError if it does not exist. jail: the compiler's.
    // project: a shaders/ that need not exist; without it projectShaders() (files/Project.h).
    explicit KernelSources(std::filesystem::path folder, Note note = {}, std::string jail = {});
    KernelSources(std::filesystem::path folder, Note note, std::string jail, std::filesystem::path project);

    // The kernel NAME.comp as it is now: the one built in, unless a file that it was made from is another now, or what
    // that folder has lies over it; then it is compiled, without --shader-dir with a note. What that folder does not
    // have, kernels and included files alike, is the project's.
    // Throws CompileError if it is gone or does not compile, EnvironmentError if it must be compiled and cannot.
    std::vector<std::uint32_t> spirv(const std::string& name);

    // The type of elements that it is for; of those that do not include A2Element.h, uint32.
    const ElementType* element = &ElementType::uint32;
    bool saysElement(const std::string& name) const;
    std::span<const std::uint32_t> builtIn(const BuiltInShader& kernel) const;

    // A file of shaders/, "A2X.comp" or "include/A2X.h", as it counts now; nothing where there is none.
    std::optional<std::string> textOf(const std::string& file) const;

    const KernelCompiler& compiler() const { return compiler_; }

private:
    bool lacksReals(const BuiltInShader& kernel) const;
    bool isCurrent(const BuiltInShader& kernel);
    std::vector<std::uint32_t> compiled(const std::string& name);
    void note(const std::string& text);

    std::filesystem::path folder_, project_;
    bool projectIsThere_;
    // Of a student's folder it is not: what they do not write is built in, and what differs from that is no news.
    bool isWhole_;
    KernelCompiler compiler_;
    Note note_;
    std::set<std::string> noted_;
};

}  // namespace a2
