#!/usr/bin/env bash
# What becomes of mutants of every module of the Verilog: the table of docs/notebook/mutants.md, between the markers
# <!-- mutants: begin --> and <!-- mutants: end -->.
#
#   ./scripts/mutation-scores.sh [--mutants N] [--seed S] [--modules "M ..."] [--minutes N]
#
#   --mutants  drawn of each module at most                                        (60)
#   --seed     of the drawing                                                      (1)
#   --modules  these alone, in the cores of all divergence units; no table then    (all)
#   --minutes  after which no further module is begun; the table has what there is (no limit)
#
# Takes hours. What becomes of each mutant is kept in the build cache (WEFT_CACHE, else ~/.cache/weft), by the Verilog of the
# core, the mutant, the programs and the tools: a run that was interrupted goes on where it was, and a further one tries
# what is new. Leaves out/mutants.json, and out/mutants.log with each mutant that was not found, those of earlier runs
# included. Status 1 if less than 95 % are found; the table is written all the same.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

mutants=60
seed=1
modules=""
minutes=""
options "mutants seed modules minutes" "$@"
for count in "$mutants" "$seed" "${minutes:-0}"; do
    [[ $count =~ ^[0-9]+$ ]] || refuse "'$count' is not a whole number"
done

./scripts/setup.sh
mkdir -p out
scores=out/mutants.json
[[ -z $modules ]] || scores=out/mutants-some.json
rm -f "$scores"
status=0
[[ -z $minutes ]] || export WEFT_MUTATION_MINUTES=$minutes
WEFT_MUTANTS_A_MODULE=$mutants WEFT_MUTANT_SEED=$seed WEFT_MUTATED_MODULES=$modules \
    WEFT_MUTATION_SCORES=$PWD/$scores \
    cargo test --locked -p weft-testbench --test integration -- --ignored --nocapture modules_have_their_scores |
    tee "${scores%.json}.log" || status=$?
[[ $status -ne 2 ]] || exit 2
[[ -s $scores ]] || fail "no scores: see ${scores%.json}.log"
[[ $status -eq 0 ]] || status=1
if [[ -n $modules ]]; then
    python3 scripts/mutation_table.py "$scores"
else
    {
        python3 scripts/mutation_table.py "$scores"
        echo
        echo "Up to $mutants of each module, seed $seed. $(written_by "$(verilator_version)")"
    } | write_between docs/notebook/mutants.md mutants
fi
exit "$status"
