// What a kernel's text asks a preprocessor for: other files, and names for its lines.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace a2 {

struct SourceDirectives {
    std::vector<std::string> includes;  // names, from the folder of the file or from one where others lie
    // The text with as many lines. Directives that lead out of the folder are errors in it; names of lines lie in
    // `folder`.
    std::string text;
    std::map<std::uint64_t, std::string> refused;  // line, from 1 -> what is wrong with its directive
};

// Compilers do not agree on where comments and strings end that have a backslash in them. Of such a text whatever may
// be a directive is taken for one. Time and memory grow with the text's length alone. Throws KernelError for a text
// with more directives, or a longer one, than any kernel has.
SourceDirectives readDirectives(const std::string& text, const std::string& folder);

}  // namespace a2
