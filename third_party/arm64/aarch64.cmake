# Toolchain file: builds for 64-bit ARM on Debian, with the packages that prepare.sh collected in CMAKE_BINARY_DIR/packages.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

if(NOT A2_ARM64_PACKAGES)
    set(A2_ARM64_PACKAGES ${CMAKE_BINARY_DIR}/packages)
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES A2_ARM64_PACKAGES)
set(CMAKE_FIND_ROOT_PATH ${A2_ARM64_PACKAGES})
set(CMAKE_PREFIX_PATH /usr /usr/lib/aarch64-linux-gnu/cmake)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)  # programs run on this machine
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
