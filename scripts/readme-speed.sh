#!/usr/bin/env bash
# Measures the issue rate of the core, the cost of the lock-step checker and the speed of the golden model. Writes the figures
# into docs/notebook/measurements.md, between the markers <!-- speed: begin --> and <!-- speed: end -->.
#
#   ./scripts/readme-speed.sh
#
# The tests and the benchmark assert these figures, in an optimised build. If any is missed, the script leaves
# docs/notebook/measurements.md unchanged and ends with status 1.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

./scripts/setup.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export WEFT_FIGURES="$work/figures.jsonl"
cargo test --release --locked -p weft-testbench --test integration -- issue_rate:: throughput:: --test-threads 1 >&2
cargo bench --locked -p weft-sim --bench throughput -- --quick >&2

table=$(python3 scripts/speed_table.py "$WEFT_FIGURES")
{
    echo "$table"
    echo
    echo "Whole runs, first fetch to last exit. $(written_by "$(verilator_version)", "$(compiler_version)" and \
        "$(rustc --version | cut -d' ' -f1,2)", "on $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1)")"
} | write_between docs/notebook/measurements.md speed
