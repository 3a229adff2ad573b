#!/usr/bin/env bash
# Writes the tables of docs/notebook/area.md with `weft synth`: the RV32I core of eight warps with each divergence unit at
# each number of threads, and each unit alone, with its share of the core.
#
#   ./scripts/area-docs.sh [--threads "T ..."] [--units "T ..."]
#
#   --threads  numbers of threads of the cores  (1 2 4 8 16 32 64); "" leaves their table as it is
#   --units    numbers of threads of the units  (2 4 8 16 32 64); "" leaves their table as it is
#
# Uses $WEFT_YOSYS, else installs Yosys 0.70 into the virtual environment .venv. Takes hours. The build cache keeps the
# results, so an interrupted run continues.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

threads="1 2 4 8 16 32 64"
units="2 4 8 16 32 64"
options "threads units" "$@"

./scripts/setup.sh
published_yosys
build_weft >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Writes the area of the core of $1 threads into file $2; the other arguments are those of `weft synth`. A core that does
# not fit has an area too. Cores of 64 threads are not flattened, to save time.
synth() {
    local way=()
    [[ $1 -lt 64 || $* == *--module* ]] || way=(--per-module)
    "$weft" --json synth --target ecp5-85k --preset rv32i-8x4 --set "threads=$1" "${way[@]}" "${@:3}" >"$2" ||
        [[ $? -eq 1 ]]
    echo "${2#"$work"/} done after $SECONDS s" >&2
}

# Writes the tables that script $2 makes from the files after it, between the markers of $1.
write_table() {
    local tables
    tables=$(python3 "scripts/$2" "${@:3}")
    {
        echo "$tables"
        echo
        echo "Written by \`scripts/area-docs.sh\` on $(date -u +%Y-%m-%d)."
    } | write_between docs/notebook/area.md "$1"
}

cargo run --release --locked --quiet --package cores --example units >"$work/names"
if [[ -n $units ]]; then
    mkdir "$work/units" "$work/cores"
    while read -r unit; do
        for number in $units; do
            file=$unit-$number.json
            synth "$number" "$work/units/$file" --set "divergence.unit=$unit" --module "${unit//-/_}"
            case $number in
                4 | 64) synth "$number" "$work/cores/$file" --set "divergence.unit=$unit" ;;
            esac
        done
    done <"$work/names"
    write_table units area_units_table.py "$work/units" "$work/cores"
fi
if [[ -n $threads ]]; then
    mkdir "$work/area"
    while read -r unit; do
        for number in $threads; do
            synth "$number" "$work/area/$unit-$number.json" --set "divergence.unit=$unit"
        done
    done <"$work/names"
    write_table area area_docs_table.py "$work/area"
fi
