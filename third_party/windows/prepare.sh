#!/bin/sh
# usage: prepare.sh BUILD_FOLDER
# Collects what a2 needs to be built for Windows in BUILD_FOLDER/packages, only from the distribution's packages:
# headers that do not depend on the system are copied, and libraries are built with mingw-w64 from their source
# packages. apt-get downloads everything without root, and with separate lists: the system's sources are not changed.
set -eu
here=$(cd -P -- "$(dirname -- "$0")" && pwd)
mkdir -p "$1"
build=$(cd -P -- "$1" && pwd)
packages=$build/packages

# Header-only, or used as if they were.
headers='libcli11-dev nlohmann-json3-dev libfmt-dev libfast-float-dev libvulkan-dev spirv-headers'

copy_headers() {  # leaves out files that name a library of Linux
    dpkg -L "$1" | grep -E '^/usr/(include|lib/([^/]*/)?cmake|share/cmake)/' | grep -v -e '-none\.cmake$' |
        while read -r path; do
            [ ! -f "$path" ] || printf '%s\n' "${path#/}"
        done | tar -C / -c -h -T - | tar -C "$packages" -x
}

# The sources of the system's packages, as lists of source packages.
source_lists() {
    cat /etc/apt/sources.list /etc/apt/sources.list.d/*.list 2>/dev/null | sed -n 's/^deb /deb-src /p' >"$1/a2.list"
    cat /etc/apt/sources.list.d/*.sources 2>/dev/null | sed 's/^Types:.*/Types: deb-src/' >"$1/a2.sources"
}

apt() {
    apt-get -q -o Dir::Etc::sourcelist=/dev/null -o Dir::Etc::sourceparts="$build/sources/lists.d" \
        -o Dir::State::lists="$build/sources/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 "$@"
}

build_library() {  # build_library NAME SOURCE_FOLDER [CMAKE_ARGUMENT...]
    name=$1 source=$2
    shift 2
    cmake -G Ninja -S "$source" -B "$build/sources/build-$name" -DCMAKE_TOOLCHAIN_FILE="$here/mingw-w64.cmake" \
        -DA2_WINDOWS_PACKAGES="$packages" -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_SHARED_LIBS=OFF -DBUILD_TESTING=OFF -DCMAKE_C_FLAGS=-w -DCMAKE_CXX_FLAGS=-w "$@"
    DESTDIR=$packages cmake --build "$build/sources/build-$name" --target install
}

build_source_package() {  # build_source_package NAME [CMAKE_ARGUMENT...]: as its authors published it
    name=$1
    shift
    mkdir -p "$build/sources/$name"
    # 'URL' FILE SIZE SHA256:DIGEST; the digest comes from the signed list.
    archive=$(cd "$build/sources" && apt source --print-uris "$name" | grep "^'[^']*\.orig\.tar\.[a-z0-9]*' ")
    url=${archive#"'"}
    /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" download-file "${url%%"'"*}" "$build/sources/$name.tar" "${archive##* }"
    (cd "$build/sources/$name" && cmake -E tar xf "$build/sources/$name.tar")
    build_library "$name" "$build/sources/$name"/*/ "$@"
}

rm -rf "$packages" "$build/sources"
mkdir -p "$packages" "$build/sources/lists/partial" "$build/sources/lists.d"
for package in $headers; do copy_headers "$package"; done
source_lists "$build/sources/lists.d"
apt update || true  # an unrelated source may fail; the next step reports what matters
build_source_package pugixml
build_source_package libuv1 -DLIBUV_BUILD_SHARED=OFF
build_source_package glslang -DENABLE_HLSL=OFF -DENABLE_OPT=OFF -DENABLE_SPVREMAPPER=OFF -DENABLE_CTEST=OFF -DENABLE_PCH=OFF \
    -DCMAKE_CXX_FLAGS_RELEASE=-O0
[ -f "$packages/usr/bin/glslangValidator.exe" ] || cp "$packages/usr/bin/glslang.exe" "$packages/usr/bin/glslangValidator.exe"
build_library googletest /usr/src/googletest -DBUILD_GMOCK=OFF
touch "$packages/complete"
