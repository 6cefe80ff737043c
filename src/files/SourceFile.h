// A file that a user provides and that becomes part of a program: read once, and only if it is really a source file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace a2 {

// The bytes of folder/name, at most `most`; nothing if there is no such file. Throws KernelError, naming the file, if
// it is no regular file, is a link to nothing, is longer, cannot be read, is not UTF-8 as GLSL has it (a byte order
// mark, UTF-16), or lies outside of the folder because of a link or `..`.
std::optional<std::string> readSourceFile(const std::filesystem::path& folder, const std::filesystem::path& name,
                                          std::uintmax_t most);

// The bytes of a regular file, at most `most`; nothing if it is longer, cannot be read or is no regular file: a pipe
// would be waited for, and a file from somebody else may claim to be longer than the memory.
std::optional<std::string> boundedText(const std::filesystem::path& file,
                                       std::uintmax_t most = std::uintmax_t{16} << 20);
// The same, with an empty text for nothing.
std::string textOfFile(const std::filesystem::path& file);

}  // namespace a2
