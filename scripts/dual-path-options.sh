#!/usr/bin/env bash
# Measures the options of the dual-path stack against the plain one, with eight threads per warp. The optimistic scoreboard
# and path forwarding are measured by the cycles of the golden model, the constrained scheduler by those of the RTL too.
# Writes a section of docs/notebook/stacks.md, between the markers <!-- options: begin --> and <!-- options: end -->.
#
#   ./scripts/dual-path-options.sh [--warps "W ..."] [--latencies "L ..."]
#
#   --warps      (1 4)
#   --latencies  cycles  (20 100 300)
#
# The kernels are those of the comparison, and three with unbalanced branches. Results of the RTL are in out/options/, or in
# out/stacks/ if scripts/compare-stacks.sh made them. Results of the same hardware and kernels are kept. The model always runs
# again. With options the script writes only out/.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

warps="1 4"
latencies="20 100 300"
whole=$(($# == 0))
options "warps latencies" "$@"

./scripts/setup.sh
build_weft
measured_results options
kernels=$(compared_kernels)
kernels+=" interpreter mandelbrot string_search"

# $1 option, $2 kernel, $3 warps, $4 latency
measure() {
    local point="$1-$2-$3x8-latency-$4.json" stack="$stacks/run-$2-$3x8-latency-$4-dual-path.json" options
    options=(--json run "$elves/$2.elf" --set divergence.unit=dual-path --set "warps=$3" --set threads=8
        --set "memory.latency=$4" --set memory.outstanding=128 --set run.starvation=100000000)
    case "$1" in
        plain) ;;
        constrained) options+=(--set divergence.scheduler=constrained) ;;
        optimistic) options+=(--set divergence.scoreboard=optimistic) ;;
        forwarding) options+=(--set divergence.path_forwarding=true) ;;
        both) options+=(--set divergence.scoreboard=optimistic --set divergence.path_forwarding=true) ;;
    esac
    ask "$results/model-$point"
    keep "$results/model-$point" "$weft" "${options[@]}" --engine model || return 1
    if [[ $1 == plain || $1 == constrained ]]; then
        ask "$results/run-$point"
        if [[ $1 == plain && ! -s $results/run-$point && -s $stack ]]; then
            cp "$stack" "$results/run-$point"
        fi
        [[ -s $results/run-$point ]] || keep "$results/run-$point" "$weft" "${options[@]}"
    fi
}
export -f measure keep ask
export results stacks elves weft

for count in $warps; do
    for latency in $latencies; do
        for kernel in $kernels; do
            for option in plain constrained optimistic forwarding both; do
                echo "$option $kernel $count $latency"
            done
        done
    done
done | measure_each "$(nproc)" || fail "some runs failed; their logs are under $results"
write_measured scripts/options_table.py docs/notebook/stacks.md options
