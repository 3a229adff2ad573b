#!/usr/bin/env bash
# Runs three kernels with heavy use of stacks (recursion, soft float, quicksort) on the core with and without
# memory.stack_interleave. Writes cycles and issues into docs/notebook/measurements.md, between the markers
# <!-- stacks: begin --> and <!-- stacks: end -->.
#
#   ./scripts/readme-stacks.sh
#
# If any run fails, it leaves docs/notebook/measurements.md unchanged and ends with status 1.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

warps=4

./scripts/setup.sh
build_weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" kernels build --out "$work" >&2
for threads in 8 32; do
    for interleave in false true; do
        for kernel in recursion mandelbrot quicksort; do
            needs_of "$kernel"
            "$weft" --json run "$work/$kernel.elf" "${needs[@]}" --set warps=$warps --set threads=$threads \
                --set memory.stack_interleave=$interleave >"$work/$kernel-$threads-$interleave.json" ||
                fail "$kernel fails with $threads threads, memory.stack_interleave = $interleave"
        done
    done
done

table=$(python3 scripts/stack_table.py "$work"/*.json)
{
    echo "$table"
    echo
    echo "$warps warps on the RTL, memory latency 1; mandelbrot computes in soft float." \
        "$(written_by "$(verilator_version)" and "$(compiler_version)")"
} | write_between docs/notebook/measurements.md stacks
