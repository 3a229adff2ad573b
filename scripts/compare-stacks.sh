#!/usr/bin/env bash
# Compares the single-path with the dual-path reconvergence stack: RTL cycles of the kernels of the comparison, over numbers
# of warps, threads and memory latencies, with 128 loads in flight for both. Writes the tables of docs/notebook/stacks.md,
# between the markers <!-- stacks: begin --> and <!-- stacks: end -->.
#
#   ./scripts/compare-stacks.sh [--warps "W ..."] [--threads "T ..."] [--latencies "L ..."] [--kernels "K ..."]
#
#   --warps      (1 2 4 8)
#   --threads    (8 32)
#   --latencies  cycles  (1 20 100 300)
#   --kernels    (those of the comparison: see `weft kernels list`)
#
# Results are in out/stacks/, one JSON object per run. Results of the same hardware, kernels and analysis are kept, so an
# interrupted comparison continues. With options the script writes only out/stacks/. If any run fails, it leaves the
# documentation unchanged and ends with status 1.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

warps="1 2 4 8"
threads="8 32"
latencies="1 20 100 300"
kernels=""
whole=$(($# == 0))
options "warps threads latencies kernels" "$@"

./scripts/setup.sh
build_weft
if [[ -z $kernels ]]; then
    kernels=$(compared_kernels)
fi

measured_results stacks

# $1 run or cosim, $2 unit, $3 kernel, $4 warps, $5 threads, $6 latency
measure() {
    local result="$results/$1-$3-$4x$5-latency-$6-$2.json"
    ask "$result"
    [[ ! -s $result ]] || return 0
    keep "$result" "$weft" --json "$1" "$elves/$3.elf" --set "divergence.unit=$2" --set "warps=$4" --set "threads=$5" \
        --set "memory.latency=$6" --set memory.outstanding=128 --set run.starvation=100000000
}
export -f measure keep ask
export results elves weft

for size in $threads; do
    for count in $warps; do
        for latency in $latencies; do
            for kernel in $kernels; do
                for unit in pdom-stack dual-path; do
                    echo "run $unit $kernel $count $size $latency"
                    # The model counts once for each size of warp.
                    [[ $count-$latency != "${warps%% *}-${latencies##* }" ]] ||
                        echo "cosim $unit $kernel $count $size $latency"
                done
            done
        done
    done
done | measure_each "$(nproc)" || fail "some runs failed; their logs are under $results"
write_measured scripts/stacks_table.py docs/notebook/stacks.md stacks
