# Writes a source file that returns a page's template from a function. Run by CMakeLists.txt, with -D for
#   page: the template; its line @NAME@ is replaced with the file NAME in the same folder
#   header, function: where in src/ the function is declared, in namespace a2, and its name
#   source: the file to write
get_filename_component(folder "${page}" DIRECTORY)
file(READ "${page}" whole)
string(REGEX MATCHALL "@[a-z]+\\.(css|js)@" marks "${whole}")
foreach(mark IN LISTS marks)
    string(REPLACE "@" "" name "${mark}")
    file(READ "${folder}/${name}" part)
    string(REPLACE "${mark}\n" "${part}" whole "${whole}")
endforeach()
file(WRITE "${source}.txt" "${whole}")
# Bytes, one by one: a compiler need not accept a string literal of more than 65536.
file(READ "${source}.txt" bytes HEX)
string(REPEAT "[0-9a-f]" 32 line)
string(REGEX REPLACE "(${line})" "\\1\n    " bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
file(WRITE "${source}" "// Generated from ${page}.
#include \"${header}\"
namespace a2 {
std::string_view ${function}()
{
    static constexpr char text[] = {
    ${bytes}
    };
    return {text, sizeof text};
}
}  // namespace a2
")
