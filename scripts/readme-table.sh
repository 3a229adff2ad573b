#!/usr/bin/env bash
# Runs the bundled kernels in lock step and writes their table into README.md, between the markers
# <!-- kernels: begin --> and <!-- kernels: end -->.
#
#   ./scripts/readme-table.sh
#
# Leaves README.md alone, with status 1, if any kernel fails.

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

table="$work/table.md"
{
    python3 scripts/kernel_table.py --markdown "$work"/*.json
    echo
    echo "$warps warps of $threads threads, RTL and golden model in lock step, memory latency 1." \
        "Written by \`scripts/readme-table.sh\` on $(date -u +%Y-%m-%d), with" \
        "$(verilator --version | cut -d' ' -f1,2) and riscv64-unknown-elf-gcc $(riscv64-unknown-elf-gcc -dumpversion)."
} >"$table"

awk -v table="$table" '
    /<!-- kernels: end -->/ { inside = 0; closed = 1 }
    !inside { print }
    /<!-- kernels: begin -->/ { inside = 1; while ((getline line < table) > 0) print line }
    END { exit !closed }
' README.md >"$work/README.md" || fail "README.md lacks the markers"
cp "$work/README.md" README.md
