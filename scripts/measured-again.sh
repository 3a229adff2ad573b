#!/usr/bin/env bash
# Compares the core of this tree with docs/notebook/measured/comparison.csv: the cycles of every kernel with every unit, and
# the LUT4 of the sorted table with RV32I at 2, 4, 8 and 16 threads. A change of the text alone leaves the cycles unchanged
# and the LUT4 nearly unchanged.
#
#   ./scripts/measured-again.sh                 # cycles at 4 threads, and LUT4
#   ./scripts/measured-again.sh --what cycles --threads 8
#
# Ends with status 1 if a cycle differs or the mean of the LUT4 changes by more than 2 %.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
what=all
threads=4
options "what threads" "$@"
[[ $what == all || $what == cycles || $what == lut4 ]] || refuse "--what is all, cycles or lut4, not '$what'"

[[ $what == cycles ]] || published_yosys
build_weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" kernels build --out "$work/kernels" >/dev/null
python3 scripts/measured_again.py "$weft" "$work" docs/notebook/measured/comparison.csv "$what" "$threads"
