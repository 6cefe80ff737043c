# Writes a source file that holds a page's template as a function's value. Run by CMakeLists.txt, with -D for
#   page: the template; a line @NAME@ of it stands for the file NAME beside it
#   header, function: where in src/ the function is declared, in namespace a2, and its name
#   source: what is written
include("${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake")
get_filename_component(folder "${page}" DIRECTORY)
file(READ "${page}" whole)
string(REGEX MATCHALL "@[a-z]+\\.(css|js)@" marks "${whole}")
foreach(mark IN LISTS marks)
    string(REPLACE "@" "" name "${mark}")
    file(READ "${folder}/${name}" part)
    string(REPLACE "${mark}\n" "${part}" whole "${whole}")
endforeach()
file(WRITE "${source}.txt" "${whole}")
byte_literal("${source}.txt" text)
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
