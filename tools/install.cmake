# What `cmake --install` installs, and where; tools/package makes packages of it. No file contains the prefix: an
# installed tree can be moved. Parts: a2, which needs a distribution's packages, and beside, the content of these
# packages, for an archive that runs without them.
include(GNUInstallDirs)
set(A2_TEMPLATE "" CACHE PATH "What `a2 new` makes a student's folder of: what tools/handout --folder wrote")

set_target_properties(a2 PROPERTIES INSTALL_RPATH "$ORIGIN/../lib/a2")
install(TARGETS a2 RUNTIME DESTINATION bin COMPONENT a2)
install(TARGETS a2_worker a2_solutions RUNTIME DESTINATION lib/a2 COMPONENT a2 LIBRARY DESTINATION lib/a2 COMPONENT a2)

# The files with which a student's host code is compiled and linked (src/worker/FolderBuild.h). For files that are
# unchanged since the hand-out, it includes the objects.
install(TARGETS a2_recorder a2_recording ARCHIVE DESTINATION lib/a2/student COMPONENT a2)
set(objects $<TARGET_OBJECTS:a2_solutions>)
set(kept "StudentLibrary\\.cpp\\${CMAKE_CXX_OUTPUT_EXTENSION}$")
install(FILES $<FILTER:${objects},INCLUDE,${kept}> DESTINATION lib/a2/student RENAME StudentLibrary.o COMPONENT a2)
file(READ src/worker/student_options options)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/worker/student_options)
# Follows the objects, one word per line; STUDENT is this folder.
set(linking -shared STUDENT/StudentLibrary.o STUDENT/liba2_recorder.a STUDENT/liba2_recording.a -pthread)
if(WIN32)
    string(REPLACE "-fPIC " "" options "${options}")
    list(APPEND linking -static)
else()
    list(APPEND linking -Wl,--version-script,STUDENT/StudentLibrary.map -Wl,--no-undefined)
    install(FILES src/recorder/StudentLibrary.map DESTINATION lib/a2/student COMPONENT a2)
endif()
list(JOIN linking "\n" linking)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/student/options CONTENT "${options}" @ONLY)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/student/linking CONTENT "${linking}\n" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/student/options ${CMAKE_BINARY_DIR}/student/linking DESTINATION lib/a2/student COMPONENT a2)
foreach(file IN LISTS student_files)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR}/src ${file})
    get_filename_component(folder ${name} DIRECTORY)
    string(REPLACE "." "\\." pattern "/src/${name}${CMAKE_CXX_OUTPUT_EXTENSION}$")
    get_filename_component(object ${name}.o NAME)
    install(FILES ${file} DESTINATION lib/a2/student/objects/${folder} COMPONENT a2)
    install(FILES $<FILTER:${objects},INCLUDE,${pattern}> DESTINATION lib/a2/student/objects/${folder} RENAME ${object} COMPONENT a2)
endforeach()
install(FILES tools/a2Config.cmake DESTINATION lib/cmake/a2 COMPONENT a2)
install(DIRECTORY include/a2 DESTINATION share/a2/include COMPONENT a2)
# In the version with which the recorder was compiled.
foreach(folder IN ITEMS vulkan vk_video)
    install(DIRECTORY $<TARGET_PROPERTY:Vulkan::Headers,INTERFACE_INCLUDE_DIRECTORIES>/${folder} DESTINATION share/a2/include COMPONENT a2
            PATTERN "*.cppm" EXCLUDE PATTERN "vulkan_win32.h" EXCLUDE)
endforeach()
install(PROGRAMS tools/submit DESTINATION share/a2/tools COMPONENT a2)
install(FILES tools/unpack.py DESTINATION share/a2/tools COMPONENT a2)
install(DIRECTORY tools/report DESTINATION share/a2/tools COMPONENT a2 PATTERN "__pycache__" EXCLUDE)
install(FILES third_party/licences.txt DESTINATION share/doc/a2 COMPONENT a2)
if(A2_TEMPLATE)
    install(DIRECTORY ${A2_TEMPLATE}/ DESTINATION share/a2/template COMPONENT a2)
endif()

# The completion scripts and the man page: a2 writes them itself.
set(forms "bash share/bash-completion/completions/a2" "zsh share/zsh/vendor-completions/_a2"
          "fish share/fish/vendor_completions.d/a2.fish" "man share/man/man1/a2.1")
if(CMAKE_CROSSCOMPILING)
    set(forms "")
endif()
foreach(form IN LISTS forms)
    string(REPLACE " " ";" form "${form}")
    list(GET form 0 shell)
    list(GET form 1 file)
    get_filename_component(folder ${file} DIRECTORY)
    install(CODE "
        file(MAKE_DIRECTORY \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${folder}\")
        execute_process(COMMAND \"$<TARGET_FILE:a2>\" completion ${shell} COMMAND_ERROR_IS_FATAL ANY
                        OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${file}\")" COMPONENT a2)
endforeach()

if(WIN32)  # its programs contain all libraries
    find_file(A2_GLSLANG_BESIDE glslangValidator.exe PATHS ${A2_WINDOWS_PACKAGES}/usr/bin NO_CMAKE_FIND_ROOT_PATH REQUIRED)
    install(PROGRAMS ${A2_GLSLANG_BESIDE} DESTINATION lib/a2 COMPONENT beside)
else()
    install(PROGRAMS ${A2_GLSLANG} DESTINATION lib/a2 RENAME glslangValidator COMPONENT beside)
    install(CODE "
        file(GET_RUNTIME_DEPENDENCIES EXECUTABLES \"$<TARGET_FILE:a2>\" RESOLVED_DEPENDENCIES_VAR libraries
             PRE_INCLUDE_REGEXES libfmt libpugixml libtbb libuv PRE_EXCLUDE_REGEXES .*)
        file(INSTALL \${libraries} DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/a2\" FOLLOW_SYMLINK_CHAIN)" COMPONENT beside)
endif()

# All packed files have the same time: then two builds of the same files give the same bytes.
foreach(component IN ITEMS a2 beside)
    install(CODE "
        if(DEFINED ENV{SOURCE_DATE_EPOCH})
            execute_process(COMMAND find \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}\" -exec touch -h -d @\$ENV{SOURCE_DATE_EPOCH} {} +)
        endif()" COMPONENT ${component})
endforeach()

set(CPACK_PACKAGE_NAME a2)
set(CPACK_PACKAGE_VENDOR a2)
set(CPACK_PACKAGE_CONTACT "the course's staff")
set(CPACK_SYSTEM_NAME "${CMAKE_SYSTEM_NAME}-${CMAKE_SYSTEM_PROCESSOR}")
set(CPACK_STRIP_FILES ON)
set(CPACK_ARCHIVE_THREADS 0)
set(CPACK_ARCHIVE_COMPONENT_INSTALL OFF)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "glslang-tools")
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libvulkan1, mesa-vulkan-drivers, g++, python3, python3-matplotlib, python3-jinja2")
include(CPack)
