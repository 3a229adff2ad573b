#!/usr/bin/env bash
# Writes the area of a lane into docs/notebook/area.md, between the markers <!-- lanes: begin --> and <!-- lanes: end -->.
# It synthesises the RV32I core of eight warps with the sorted table, without trace port, at each number of threads:
# flattened, with stock mapping and mapped for a frequency.
#
#   ./scripts/area-lanes.sh [--threads "T ..."] [--mhz N]
#
#   --threads  two or more, in ascending order  (4 8 16 32)
#   --mhz      frequency of the second mapping  (40)
#
# Uses $WEFT_YOSYS, else installs Yosys 0.70 into the virtual environment .venv. Takes half an hour. The build cache keeps
# the results, so an interrupted run continues.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

threads="4 8 16 32"
mhz=40
options "threads mhz" "$@"
last=0
for number in $threads; do
    [[ $number =~ ^[1-9][0-9]*$ ]] || refuse "'$number' is not a whole number above 0"
    [[ $number -gt $last ]] || refuse "'$threads' is not in ascending order"
    last=$number
done
[[ $last != "$threads" ]] || refuse "at least two numbers of threads are needed for the area of a lane"
[[ $mhz =~ ^[1-9][0-9]*$ ]] || refuse "'$mhz' is not a whole number above 0"

published_yosys
build_weft >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Synthesises the core of $1 threads into $2; the other arguments are those of `weft synth`. A core that does not fit has
# an area too.
synth() {
    "$weft" --json synth --preset rv32i-8x4 --set trace.port=false --set divergence.unit=sorted-table --set "threads=$1" \
        --target ecp5-85k "${@:3}" >"$work/$2.json" || [[ $? -eq 1 ]]
    echo "$2 done after $SECONDS s" >&2
}

for number in $threads; do
    synth "$number" "stock-$number"
    synth "$number" "mapped-$number" --target-mhz "$mhz"
done
{
    python3 scripts/area_lanes_table.py "$work"
    echo
    echo "Written by \`scripts/area-lanes.sh\` on $(date -u +%Y-%m-%d)."
} | write_between docs/notebook/area.md lanes
