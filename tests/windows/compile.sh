#!/bin/sh
# usage: compile.sh FOLDER
# Compiles for Windows with the words of FOLDER/words, one a line, whose paths are those that Wine shows the host's files
# under. Leaves what the compiler says in FOLDER/said and, last of all, its exit status in FOLDER/status.
set -u
folder=$1
shift
while IFS= read -r word; do
    set -- "$@" "$(printf '%s' "$word" | sed -e 's#\\#/#g' -e 's#[Zz]:/#/#')"
done <"$folder/words"
LC_ALL=C x86_64-w64-mingw32-g++-posix "$@" >"$folder/said" 2>&1
echo $? >"$folder/status.part"
mv "$folder/status.part" "$folder/status"
