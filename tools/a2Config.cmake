# find_package(a2): for a student's folder that is built by CMake, for an editor or a debugger. a2 alone needs none.
#
#   a2_add_solutions(NAME FILE.cpp...)   the library that `a2 --solutions FILE` runs the solutions of
get_filename_component(a2_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(a2_student ${a2_prefix}/lib/a2/student)

function(a2_add_solutions name)
    add_library(${name} SHARED ${ARGN})
    file(READ ${a2_student}/options options)
    separate_arguments(options UNIX_COMMAND "${options}")
    target_compile_options(${name} PRIVATE ${options})
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/shaders/include)
    target_include_directories(${name} SYSTEM PRIVATE ${a2_prefix}/share/a2/include)
    file(STRINGS ${a2_student}/linking linking)
    string(REPLACE "STUDENT/" "${a2_student}/" linking "${linking}")
    set(options ${linking})
    list(FILTER options INCLUDE REGEX "^-")
    list(FILTER linking EXCLUDE REGEX "^-")
    target_link_options(${name} PRIVATE ${options})
    target_link_libraries(${name} PRIVATE ${linking})
endfunction()
