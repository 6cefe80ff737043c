# Writes a source file that holds a page's template as a function's value. Run by CMakeLists.txt, with -D for
#   page: the template
#   header, function: where in src/ the function is declared, in namespace a2, and its name
#   source: what is written
include("${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake")
byte_literal("${page}" text)
file(WRITE "${source}" "// Generated from ${page}.
#include \"${header}\"
namespace a2 {
std::string_view ${function}()
{
    return
    ${text};
}
}  // namespace a2
")
