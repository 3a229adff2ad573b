#!/usr/bin/env bash
# Goes from a fresh machine to a verified run: installs missing tools, builds Weft, writes the Verilog of the default core, and
# runs every bundled kernel on it in lock step with the golden model.
#
#   ./scripts/quickstart.sh
#
# Writes only to out/. Ends with status 1 if any kernel fails.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

./scripts/setup.sh
build_weft

rm -rf out/kernels out/results out/traces
mkdir -p out/results out/traces
"$weft" emit --out out/core --force >&2
"$weft" kernels build --out out/kernels >&2

status=0
for elf in out/kernels/*.elf; do
    kernel=$(basename "$elf" .elf)
    echo "Running $kernel" >&2
    needs_of "$kernel"
    "$weft" --json cosim "$elf" "${needs[@]}" --commits "out/traces/$kernel.jsonl" \
        >"out/results/$kernel.json" 2>"out/results/$kernel.log" || status=1
done

echo
PYTHONPATH=scripts python3 -B -m measuring.runs out/results/*.json
echo
echo "Verilog: out/core/weft_core.v, a file for each module in out/core/rtl/"
echo "Traces:  out/traces/, a JSON line for each committed instruction"
echo "Waves:   $weft cosim out/kernels/gcd.elf --wave out/gcd.fst"
if [[ $status -ne 0 ]]; then
    echo >&2
    fail "not every kernel passed; out/results/ has a log of each"
fi
