#!/bin/sh
# usage: prepare.sh BUILD_FOLDER
# Collects what a2 needs to be built for 64-bit ARM in BUILD_FOLDER/packages: the distribution's packages for it,
# unpacked. apt-get downloads them without root and with separate lists: the system is not changed.
set -eu
mkdir -p "$1"
build=$(cd -P -- "$1" && pwd)
packages=$build/packages lists=$build/lists debs=$build/debs

# The packages of `run` and `test` in packages.txt that are linked, and their dependencies.
names='libfmt-dev libpugixml-dev libuv1-dev libtbb-dev libgtest-dev libgmock-dev libvulkan-dev libcli11-dev nlohmann-json3-dev
libfast-float-dev spirv-headers'
needed='^(libfmt|libpugixml1|libuv1|libtbb|libvulkan1)'

apt() {
    apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o Dir::State::lists="$lists" \
        -o Dir::State::status=/dev/null -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
        -o APT::Sandbox::User="$(id -un)" -o Acquire::Retries=2 "$@"
}

rm -rf "$packages" "$lists" "$debs"
mkdir -p "$packages" "$lists/partial" "$debs"
apt update || true  # an unrelated source may fail; the next step reports what matters
# shellcheck disable=SC2086  # lists of words
more=$(apt install -s --no-install-recommends $names | sed -n 's/^Inst \([^ ]*\).*/\1/p' | grep -E "$needed")
cd "$debs"
# shellcheck disable=SC2086
apt download $names $more
for file in *.deb; do dpkg -x "$file" "$packages"; done
touch "$packages/complete"
