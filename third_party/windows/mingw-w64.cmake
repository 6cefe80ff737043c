# Toolchain file: builds for Windows on Debian, with the packages that prepare.sh collected in
# CMAKE_BINARY_DIR/packages. -I/usr/include would bring in the headers of Linux's C library, so nothing is looked for in
# the system itself.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)

# prepare.sh builds each library in a separate folder.
if(NOT A2_WINDOWS_PACKAGES)
    set(A2_WINDOWS_PACKAGES ${CMAKE_BINARY_DIR}/packages)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES A2_WINDOWS_PACKAGES)
set(CMAKE_FIND_ROOT_PATH ${A2_WINDOWS_PACKAGES})
file(GLOB configs ${A2_WINDOWS_PACKAGES}/usr/lib/*-linux-gnu/cmake)
set(CMAKE_PREFIX_PATH /usr)
foreach(folder IN LISTS configs)
    file(RELATIVE_PATH folder ${A2_WINDOWS_PACKAGES} ${folder})
    list(APPEND CMAKE_PREFIX_PATH /${folder})
endforeach()
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # programs run on this machine
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)

# The program runs alone, without the compiler's libraries.
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -static)
