# shellcheck shell=bash
# Shared by tools/run and tools/test: install what third_party/packages.txt names, configure, build.
# The output of apt-get, cmake and the compilers goes to a log; the user sees one line per phase, on stderr.

set -o pipefail
unset CDPATH  # it would make cd print
root=$(cd -P -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
log=$root/build/tools.log

say() { printf 'a2: %s\n' "$*" >&2; }

stop() { say "$*"; exit 3; }

# The lines of the log that say why it failed, with paths relative to the project's folder.
telling_lines() {
    local lines
    lines=$(grep -E -A3 '^[EW]: |^ERROR: |^CMake Error|[ :]error: |undefined reference|command not found$' "$log" |
        grep -v -E '^(-|\[|ninja: |FAILED: |[^ ]+/(c\+\+|clang\+\+) |$)' | head -n 16 | cut -c 1-200) || true
    [ -n "$lines" ] || lines=$(tail -n 12 "$log")
    printf '%s\n' "${lines//"$root/"/}" | sed -E 's/^tools.common.sh: line [0-9]+: //; s/^/    /' >&2
}

failed() {  # failed WHAT [WHAT TO DO]
    say "$1 failed:"
    telling_lines
    [ -z "${2-}" ] || say "$2"
    stop "the whole log: ${log#"$PWD"/}"
}

# English messages, which telling_lines knows; no questions, because they would not be seen.
logged() { LC_ALL=C "$@" </dev/null >>"$log" 2>&1; }

has_apt() { command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; }

begin() {
    mkdir -p "$root/build" 2>/dev/null || true
    [ -w "$root/build" ] || stop "cannot write to $root/build: make it yours, or delete it"
    # Two calls at once would build over each other.
    if command -v flock >/dev/null; then
        exec 9>"$root/build/tools.lock"
        flock -n 9 || { say "waiting for another tools/run or tools/test to finish building"; flock 9; }
    fi
    : >"$log"
}

end() { exec 9>&-; }

missing_packages() {  # missing_packages KIND...
    local kind name rest wanted='' installed
    while read -r kind name rest; do
        case " $* " in *" $kind "*) wanted+=" $name" ;; esac
    done <"$root/third_party/packages.txt"
    # shellcheck disable=SC2086  # a list of words
    installed=$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' $wanted 2>/dev/null | sed -n 's/^installed //p') || true
    for name in $wanted; do
        grep -qxF -- "$name" <<<"$installed" || printf '%s ' "$name"
    done
}

# An unrelated broken source makes update fail; install then reports what matters.
update_lists() {
    # shellcheck disable=SC2086  # $sudo may be empty, here and below
    [ -n "${updated-}" ] || logged $sudo apt-get -q update -o Acquire::Retries=2 || true
    updated=yes
}

offered() {  # offered PACKAGE...: those that the distribution has
    local name
    for name in "$@"; do
        if apt-cache show --no-all-versions "$name" >/dev/null 2>&1; then printf '%s ' "$name"; fi
    done
}

apt_install() {  # apt_install PACKAGE...
    # shellcheck disable=SC2086
    # The time-out waits for the updates that a new machine installs by itself.
    logged $sudo env DEBIAN_FRONTEND=noninteractive apt-get -q -y install --no-install-recommends \
        -o Acquire::Retries=2 -o DPkg::Lock::Timeout=300 "$@" || return
    new_packages=yes
}

say_installing() {  # say_installing MANAGER PACKAGE...
    local name=packages
    if [ $# -eq 2 ]; then name=package; fi
    say "installing $(($# - 1)) $name with ${sudo:+sudo }$1 (once)"
}

# Sets `sudo` for its caller, and says what will be installed.
become_root() {  # become_root BY_HAND MANAGER PACKAGE...
    local by_hand=$1
    shift
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || stop "packages are missing; $by_hand"
        sudo=sudo
    fi
    say_installing "$@"
    [ -z "$sudo" ] || logged sudo true || stop "sudo refused; $by_hand"
}

# Like install_packages, without apt-get: only for `run` and `test`, with the names in packages.txt.
install_elsewhere() {  # install_elsewhere KIND...
    local column=0 install=() installed=() name missing=() sudo='' by_hand
    if command -v dnf >/dev/null; then column=1 install=(dnf -y install) installed=(rpm -q)
    elif command -v pacman >/dev/null; then column=2 install=(pacman -S --needed --noconfirm) installed=(pacman -Qq)
    elif command -v zypper >/dev/null; then column=3 install=(zypper --non-interactive install) installed=(rpm -q)
    else return 0; fi
    while read -r name; do
        "${installed[@]}" "$name" >/dev/null 2>&1 || missing+=("$name")
    done < <(awk -v kinds=" $* " -v column="$column" '
        $1 == "names" && wanted[$2] && $(2 + column) != "-" { gsub(",", "\n", $(2 + column)); print $(2 + column) }
        index(kinds, " " $1 " ") { wanted[$2] = 1 }' "$root/third_party/packages.txt")
    [ ${#missing[@]} -gt 0 ] || return 0
    by_hand="as root: ${install[*]} ${missing[*]}"
    become_root "$by_hand" "${install[0]}" "${missing[@]}"
    # shellcheck disable=SC2086  # $sudo may be empty
    logged $sudo "${install[@]}" "${missing[@]}" || failed "installing" "by hand, $by_hand"
    new_packages=yes
}

install_packages() {  # install_packages KIND...
    local missing known sudo='' by_hand
    if ! has_apt; then
        install_elsewhere "$@"
        return
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    by_hand="as root: apt-get update; apt-get install --no-install-recommends ${missing% }"
    # shellcheck disable=SC2086  # lists of words, here and below
    become_root "$by_hand" apt-get $missing
    update_lists
    # A release may ship a package as part of another (libclang-rt-dev in Ubuntu 22.04).
    # shellcheck disable=SC2086
    known=$(offered $missing)
    # shellcheck disable=SC2086
    apt_install ${known:-$missing} || failed "installing" "is there a network? By hand, $by_hand"
}

# The libraries that a build for another system links: in build-SYSTEM/packages.
collect_libraries() {  # collect_libraries SYSTEM: windows or arm64
    [ ! -e "$root/build-$1/packages/complete" ] || return 0
    say "collecting the libraries of a2 for $1 (once)"
    logged "$root/third_party/$1/prepare.sh" "$root/build-$1" || failed "collecting the libraries of a2 for $1"
}

# Those that the distribution has. a2 works without them, and says what is missing when that is needed.
install_optional() {  # install_optional KIND [-n]: -n asks for no password
    local missing known sudo=''
    has_apt || return 0
    missing=$(missing_packages "$1")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" -ne 0 ]; then
        sudo=sudo
        command -v sudo >/dev/null && logged sudo ${2+"$2"} true || return 0
    fi
    # A bare machine has no lists yet.
    compgen -G '/var/lib/apt/lists/*_Packages*' >/dev/null || update_lists
    # shellcheck disable=SC2086
    known=$(offered $missing)
    [ -n "$known" ] || return 0
    # shellcheck disable=SC2086
    say_installing apt-get $known
    update_lists
    # shellcheck disable=SC2086
    apt_install $known || say "not installed: $known(optional; see ${log#"$PWD"/})"
}

# Packages that were installed later are found by configuring again.
up_to_date() { [ -z "${new_packages-}" ] && configured "$@"; }  # up_to_date FOLDER [LINE OF THE CACHE...]

configured() {  # configured FOLDER [LINE OF THE CACHE...]: false too if the folder came with a moved or copied project
    local home line
    [ -f "$root/$1/build.ninja" ] || [ -f "$root/$1/Makefile" ] || return 1
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$root/$1/CMakeCache.txt" 2>/dev/null) || return 1
    [ "$home" -ef "$root" ] || return 1
    for line in "${@:2}"; do grep -qxF -- "$line" "$root/$1/CMakeCache.txt" || return 1; done
}

configure() {  # configure PRESET FOLDER [CMAKE ARGUMENT...]
    local preset=$1 folder=$2 hint=''
    shift 2
    configured "$folder" || rm -rf "$root/$folder/CMakeCache.txt" "$root/$folder/CMakeFiles"
    has_apt || hint="no apt-get here: docs/platforms.md says what other systems need"
    (cd "$root" && logged cmake --preset "$preset" "$@") || failed "configuring" "$hint"
}

# The largest sources need 0.8 GB of memory to compile.
jobs() {
    local cores gigabytes
    cores=$(getconf _NPROCESSORS_ONLN)
    gigabytes=$(awk '/^MemAvailable:/ { print int($2 / 1e6) }' /proc/meminfo 2>/dev/null) || true
    if [ -n "$gigabytes" ] && [ "$gigabytes" -lt "$cores" ]; then cores=$gigabytes; fi
    echo $((cores > 0 ? cores : 1))
}

# Copies the build's output to the log, and reports progress on stderr once there is something to build.
watch_build() {  # watch_build WHAT JOBS
    local line step text='' minutes
    while IFS= read -r line; do
        printf '%s\n' "$line" >>"$log"
        case $line in
        '[0/'*) continue ;;  # ninja looks for changed files
        '['[0-9]*/[0-9]*']'*) ;;
        *) continue ;;
        esac
        step=${line%%]*}
        step=${step#[}
        if [ -z "$text" ]; then
            minutes=$(((${step#*/} * 3 / $2 + 30) / 60))  # three seconds of one core per step
            text="building $1"
            if [ "$minutes" -gt 0 ]; then text+=" (once, about $minutes min)"; fi
            [ -t 2 ] || say "$text"
        fi
        if [ -t 2 ]; then printf '\ra2: %s: %s ' "$text" "$step" >&2; fi
    done
    if [ -t 2 ] && [ -n "$text" ]; then echo >&2; fi
}

build() {  # build FOLDER TARGET WHAT
    local jobs
    jobs=$(jobs)
    LC_ALL=C NINJA_STATUS='[%f/%t] ' cmake --build "$root/$1" --target "$2" --parallel "$jobs" </dev/null 2>&1 |
        watch_build "$3" "$jobs" || failed "building $3"
}
