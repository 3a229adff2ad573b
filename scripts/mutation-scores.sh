#!/usr/bin/env bash
# What becomes of mutants of every module of the Verilog: the table of docs/verification.md, between the markers
# <!-- mutants: begin --> and <!-- mutants: end -->.
#
#   ./scripts/mutation-scores.sh [--mutants N] [--seed S]
#
#   --mutants  drawn of each module at most  (60)
#   --seed     of the drawing                (1)
#
# Leaves out/mutants.json, and out/mutants.log with each mutant that was not found. Takes hours: 20 of each module took
# about one, beside other work. Status 1 if less than 95 % are found; the table is written all the same.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mutants=60
seed=1
options "mutants seed" "$@"

./scripts/setup.sh --comparison
mkdir -p out
rm -f out/mutants.json
status=0
WEFT_MUTANTS_A_MODULE=$mutants WEFT_MUTANT_SEED=$seed WEFT_MUTATION_SCORES=$PWD/out/mutants.json \
    cargo test --locked -p testbench --test mutants -- --ignored --nocapture modules_have_their_scores |
    tee out/mutants.log || status=1
[[ -s out/mutants.json ]] || fail "no scores: see out/mutants.log"
{
    python3 scripts/mutation_table.py out/mutants.json
    echo
    written_by "$(verilator_version)"
} | write_between docs/verification.md mutants
exit "$status"
