# Compiles one kernel into a header: its SPIR-V, that for float32 elements if it includes A2Element.h, and the text of
# every file that it was made from, so that the program can later detect changes. Run by CMakeLists.txt, with -D for
#   glslang, target: the compiler and its --target-env
#   shaders, kernel: the folder and the file in it; variable: what the header's names begin with
#   header: what is written; header.d: the files it depends on
# A kernel that does not compile does not stop the build: its error is printed, the program has no SPIR-V of it, and
# its rows fail.
include("${CMAKE_CURRENT_LIST_DIR}/byte_literal.cmake")
if(NOT EXISTS "${glslang}")
    message(FATAL_ERROR "${glslang} is gone: install glslang-tools, or the Vulkan SDK, and configure again")
endif()
file(REMOVE "${header}" "${header}.d")
execute_process(
    COMMAND "${glslang}" --target-env ${target} --quiet -g --vn ${variable}_spirv --depfile "${header}.d"
            -o "${header}" "${shaders}/${kernel}"
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(status EQUAL 0)
    # "HEADER: FILE FILE ...": spaces in names have a backslash before them.
    file(READ "${header}.d" sources)
    string(REPLACE "\\ " " " sources "${sources}")
    string(REPLACE "${shaders}/" "\n" sources "${sources}")
    string(REGEX MATCHALL "\n[^\n]+" sources "${sources}")
else()
    message("shaders/${kernel} does not compile (${status}); its rows will fail:\n${output}")
    file(WRITE "${header}" "static constexpr std::span<const std::uint32_t> ${variable}_spirv;\n")
    # It is unknown what it includes, so it is compiled again when any of them changes.
    file(GLOB_RECURSE sources RELATIVE "${shaders}" "${shaders}/*")
    set(depends "")
    foreach(source IN LISTS sources)
        string(REPLACE " " "\\ " source "${shaders}/${source}")
        string(APPEND depends " ${source}")
    endforeach()
    string(REPLACE " " "\\ " target_file "${header}")
    file(WRITE "${header}.d" "${target_file}:${depends}\n")
    set(sources "${kernel}")
endif()

set(reals "static constexpr std::span<const std::uint32_t> ${variable}_reals;")
file(STRINGS "${shaders}/${kernel}" element REGEX "^[ \t]*#[ \t]*include[ \t]+[\"<](include/)?A2Element\\.h[\">]")
if(status EQUAL 0 AND element)
    execute_process(
        COMMAND "${glslang}" --target-env ${target} --quiet -g -DA2_FLOAT32 --vn ${variable}_reals
                -o "${header}.reals" "${shaders}/${kernel}"
        RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(status EQUAL 0)
        file(READ "${header}.reals" reals)
    else()
        message("shaders/${kernel} does not compile for float32 (${status}):\n${output}")
    endif()
endif()
file(APPEND "${header}" "\n${reals}\n")

set(entries "")
foreach(source IN LISTS sources)
    string(STRIP "${source}" source)
    byte_literal("${shaders}/${source}" bytes)
    string(APPEND entries "    {\"${source}\",\n    ${bytes}},\n")
endforeach()
file(APPEND "${header}" "\nstatic const SourceFile ${variable}_sources[] = {\n${entries}};\n")
