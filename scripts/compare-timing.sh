#!/usr/bin/env bash
# The cycles of the golden model against those of the RTL, eight threads a warp. Writes the table of docs/notebook/model-accuracy.md, between
# the markers <!-- accuracy: begin --> and <!-- accuracy: end -->.
#
#   ./scripts/compare-timing.sh [--units "U ..."] [--warps "W ..."] [--latencies "L ..."]
#
#   --units      (arbiter sorted-table pdom-stack dual-path)
#   --warps      (1 4 8)
#   --latencies  cycles  (1 20 100 300)
#
# The kernels are six that every unit runs, and for the stacks those of their comparison. Results of the RTL are in
# out/timing/, or in out/stacks/ if scripts/compare-stacks.sh made them. Results of the same hardware and kernels are kept.
# The model always runs again. With options the script writes only out/.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

units="arbiter sorted-table pdom-stack dual-path"
warps="1 4 8"
latencies="1 20 100 300"
whole=$(($# == 0))
options "units warps latencies" "$@"

./scripts/setup.sh
build_weft
measured_results timing
compared=$(compared_kernels)

# $1 unit, $2 kernel, $3 warps, $4 latency
measure() {
    local point="$2-$3x8-latency-$4-$1.json" options
    ask "$results/run-$point" "$results/model-$point"
    options=(--json run "$elves/$2.elf" --set "divergence.unit=$1" --set "warps=$3" --set threads=8 --set "memory.latency=$4"
        --set memory.outstanding=128 --set run.starvation=100000000)
    if [[ ! -s $results/run-$point && -s $stacks/run-$point ]]; then
        cp "$stacks/run-$point" "$results/run-$point"
    fi
    [[ -s $results/run-$point ]] || keep "$results/run-$point" "$weft" "${options[@]}"
    keep "$results/model-$point" "$weft" "${options[@]}" --engine model
}
export -f measure keep ask
export results stacks elves weft

for unit in $units; do
    kernels="division64 gcd histogram matrix_multiply quicksort recursion"
    [[ $unit != pdom-stack && $unit != dual-path ]] || kernels+=" $compared"
    for count in $warps; do
        for latency in $latencies; do
            for kernel in $kernels; do
                echo "$unit $kernel $count $latency"
            done
        done
    done
done | measure_each "$(nproc)" || fail "some runs failed; their logs are under $results"
write_measured scripts/timing_table.py docs/notebook/model-accuracy.md accuracy
