#!/usr/bin/env bash
# Runs the bundled kernels in lock step and writes their table into docs/notebook/measurements.md, between the markers
# <!-- kernels: begin --> and <!-- kernels: end -->.
#
#   ./scripts/readme-table.sh
#
# If any kernel fails, it leaves docs/notebook/measurements.md unchanged and ends with status 1.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

warps=8 threads=4

./scripts/setup.sh
build_weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" kernels build --out "$work" >&2
for elf in "$work"/*.elf; do
    needs_of "$(basename "$elf" .elf)"
    "$weft" --json cosim "$elf" "${needs[@]}" --set warps=$warps --set threads=$threads >"${elf%.elf}.json" ||
        fail "$(basename "$elf" .elf) fails"
done

{
    python3 scripts/kernel_table.py --markdown "$work"/*.json
    echo
    echo "$warps warps of $threads threads, RTL and golden model in lock step, memory latency 1." \
        "$(written_by "$(verilator_version)" and "$(compiler_version)")"
} | write_between docs/notebook/measurements.md kernels
