#!/usr/bin/env bash
# Synthesises a core for ECP5 and prints its area, per module and as a whole.
#
#   ./scripts/area.sh [--set KEY=VALUE ...]     the options of `weft emit`; the trace port is off
#
# Example: ./scripts/area.sh --preset rv32i-8x4
#
# Uses $WEFT_YOSYS, else yosys. Each module's line counts what stands in one instance of it alone; the last line is the
# flattened core, which is less than their sum because logic is shared and simplified across modules.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
case "${1-}" in
    -h | --help)
        help
        exit 0
        ;;
esac
root=$PWD

yosys=${WEFT_YOSYS:-yosys}
command -v "$yosys" >/dev/null || fail "yosys is missing: ./scripts/setup.sh installs it"
build_weft
weft=$(realpath "$weft")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" emit "$@" --set trace.port=false --out "$work/core" >&2
cd "$work/core"
for how in -noflatten ""; do
    printf 'read_verilog weft_core.v\nsynth_ecp5 -top weft_core %s\ntee -o stat%s.txt stat\n' "$how" "$how" >synth.ys
    "$yosys" -q synth.ys >/dev/null
done
python3 "$root/scripts/area_table.py" stat-noflatten.txt stat.txt
"$yosys" -V
