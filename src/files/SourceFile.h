// A file of somebody's that becomes part of a program: read once, and only if it is what it seems to be.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace a2 {

// The bytes of folder/name, at most `most`; nothing if there is no such file. Throws KernelError, which names it, if it
// is no regular file, is a link to nothing, is longer, cannot be read, is not UTF-8 as GLSL has it (a byte order mark,
// UTF-16), or really lies outside of the folder, by a link or by `..`.
std::optional<std::string> readSourceFile(const std::filesystem::path& folder, const std::filesystem::path& name,
                                          std::uintmax_t most);

// The bytes of a regular file; empty for what is none, or cannot be read: a pipe would be waited for.
std::string textOfFile(const std::filesystem::path& file);

}  // namespace a2
