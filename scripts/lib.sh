# shellcheck shell=bash
# Functions of the scripts. This file is sourced, not run.

# Every script works in the root of the repository.
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit

# The comment at the head of a script is its help text.
help() {
    sed -n '2,/^[^#]/ s/^# \{0,1\}//p' "$0"
}

fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

# Ends with status 2 for a request that a script does not understand, as `weft` does.
refuse() {
    echo "$(basename "$0"): $* (--help lists the options)" >&2
    exit 2
}

# Reads the options of a script. Each name in $1 is an option and the variable for its value.
options() {
    local names=" $1 "
    shift
    while [[ $# -gt 0 ]]; do
        if [[ $1 == -h || $1 == --help ]]; then
            help
            exit 0
        fi
        [[ $1 == --?* && $names == *" ${1#--} "* ]] || refuse "unexpected argument '$1'"
        [[ $# -ge 2 ]] || refuse "$1 needs a value"
        printf -v "${1#--}" '%s' "$2"
        shift 2
    done
}

no_arguments() {
    options "" "$@"
}

# Installs packages from PyPI into .venv: $1 what for, $2 a program that they bring, the others are the packages.
install_into_venv() {
    local purpose=$1 program=$2
    shift 2
    [[ -x .venv/bin/$program && -e .venv/weft-$purpose && $(<".venv/weft-$purpose") == "$*" ]] && return
    echo "Installing $* into .venv" >&2
    python3 -m venv .venv >&2
    .venv/bin/pip install --quiet "$@" >&2 || fail "pip install $* failed"
    echo "$*" >".venv/weft-$purpose"
}

# Builds the command line and sets `weft` to its path.
build_weft() {
    cargo build --release --locked --package weft
    # shellcheck disable=SC2034 # for the script that sources this
    weft="${CARGO_TARGET_DIR:-target}/release/weft"
}

# Sets `needs` to the options that give a bundled kernel the keys it needs, and `runs_on` to the units that can run it.
# shellcheck disable=SC2034 # for the script that sources this
needs_of() {
    mapfile -t needs < <("$weft" --json kernels list | python3 -c '
import json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if kernel["name"] == sys.argv[1]:
        print(*kernel["units"])
        for setting in kernel["settings"]:
            print("--set", setting, sep="\n")' "$1")
    runs_on=${needs[0]}
    needs=("${needs[@]:1}")
}
