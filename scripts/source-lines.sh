#!/usr/bin/env bash
# Prints the size of the source and of the default core: lines of Rust outside tests, and for the core's Verilog without trace
# port its lines, the assignments of one name to another, and the lines of over 110 columns.
#
#   ./scripts/source-lines.sh

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"
no_arguments "$@"

build_weft
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-28s %6d\n' "Rust outside of tests" \
    "$(git ls-files '*.rs' | grep -vE '/tests/|_test|tests\.rs$' | xargs cat | wc -l)"
for threads in 8 32; do
    "$weft" emit --set trace.port=false --set "threads=$threads" --out "$work/$threads" >/dev/null
    core=$work/$threads/weft_core.v
    printf '%-28s %6d\n' "Verilog, 8 x $threads" "$(wc -l <"$core")" \
        "  one name to another" "$(grep -cE '^ *assign \w+ = \w+;' "$core" || true)" \
        "  over 110 columns" "$(grep -cE '^.{111}' "$core" || true)"
done
