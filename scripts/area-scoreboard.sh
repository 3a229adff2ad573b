#!/usr/bin/env bash
# Writes the table of scoreboards of docs/notebook/area.md, between the markers <!-- scoreboard: begin --> and
# <!-- scoreboard: end -->: with `pdom-stack`, with `dual-path` (two slots), and with `dual-path` without shadow bits. Each is
# the module `s3_scoreboard` alone: eight warps, RV32I, mapped for 50 MHz. Stock mapping optimises for speed, which changes the
# LUTs by about a third.
#
#   ./scripts/area-scoreboard.sh [--threads "T ..."]
#
#   --threads  (4 8 32)
#
# Uses $WEFT_YOSYS, else installs Yosys 0.70 into the virtual environment .venv.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

threads="4 8 32"
options "threads" "$@"

./scripts/setup.sh
published_yosys
build_weft >&2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Emits the core with unit $1 of $2 threads into $work/$1-$2, and maps its scoreboard after the commands $3 into $work/$4.json.
scoreboard() {
    local core="$work/$1-$2"
    [[ -d $core ]] || "$weft" emit --preset rv32i-8x4 --set trace.port=false --set "divergence.unit=$1" \
        --set "threads=$2" --out "$core" >&2
    # A Yosys in WebAssembly sees only the folder in which it starts.
    (cd "$work" && "$WEFT_YOSYS" -q -l log -p "read_verilog $1-$2/weft_core.v; setattr -set ram_style \"distributed\" a:RAM_STYLE=distributed
        hierarchy -top s3_scoreboard; proc; $3
        scratchpad -set abc9.D 20000; synth_ecp5 -top s3_scoreboard; tee -q -o $4.json stat -json" >/dev/null) || {
        tail -5 "$work/log" >&2
        fail "Yosys failed on the scoreboard of $1 with $2 threads"
    }
}

for number in $threads; do
    scoreboard pdom-stack "$number" "" "$number-single"
    scoreboard dual-path "$number" "" "$number-dual"
    # Without shadow bits Yosys removes the logic that writes and reads them.
    scoreboard dual-path "$number" "cd s3_scoreboard; connect -set shadow 128'd0; cd ..;" \
        "$number-unshadowed"
done
version=$("$WEFT_YOSYS" --version)
{
    python3 scripts/area_scoreboard_table.py "$work"
    echo
    echo "${version%% (*}, mapped for 50 MHz. Written by \`scripts/area-scoreboard.sh\` on $(date -u +%Y-%m-%d)."
} | write_between docs/notebook/area.md scoreboard
