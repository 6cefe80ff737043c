// The folder .a2 of a student's folder, in which a2 keeps what it can make again. It may have come with the folder,
// from somebody else: nothing in it may lead a2 to another place.
#pragma once

#include <filesystem>
#include <string>

namespace a2 {

// Makes the folder, and those above it, where it is missing. Throws EnvironmentError where it is a link, belongs to
// another user or cannot be made.
void readyOwnFolder(const std::filesystem::path& folder);

// Removes from it, and from the folders in it, all that is neither a file nor a folder: links, pipes. Afterwards a path
// in it stays in it. Throws EnvironmentError.
void removeAllButFiles(const std::filesystem::path& folder);

// Writes a file of such a folder: whole or not at all, in place of whatever had its name. Throws EnvironmentError.
void writeOwnFile(const std::filesystem::path& file, const std::string& text);

}  // namespace a2
