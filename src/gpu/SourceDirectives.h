// The preprocessor directives of a kernel's text that name other files, or give names to its lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace a2 {

struct SourceDirectives {
    std::vector<std::string> includes;  // names, relative to the file's folder or to an include folder
    // The text with the same number of lines. Directives that lead out of the folder are errors in it; names for lines
    // lie in `folder`.
    std::string text;
    std::map<std::uint64_t, std::string> refused;  // line, from 1 -> what is wrong with its directive
};

// Compilers disagree on where comments and strings end that contain a backslash. In such a text, anything that may be a
// directive counts as one. Time and memory depend on the text's length alone. Throws KernelError for a text with more
// directives, or longer ones, than any kernel has.
SourceDirectives readDirectives(const std::string& text, const std::string& folder);

}  // namespace a2
