#!/usr/bin/env bash
# What becomes of mutants of every module of the Verilog: the table of docs/notebook/mutants.md, between the markers
# <!-- mutants: begin --> and <!-- mutants: end -->.
#
#   ./scripts/mutation-scores.sh [--mutants N] [--seed S] [--modules "M ..."] [--minutes N]
#
#   --mutants  maximum number per module                                         (60)
#   --seed     seed of the choice of mutants                                     (1)
#   --modules  only these, in the cores of all divergence units; writes no table (all)
#   --minutes  time limit for starting another module; the table has the results (no limit)
#
# Takes hours. The build cache (WEFT_CACHE, else ~/.cache/weft) keeps the result of each mutant, by the Verilog of the core,
# the mutant, the programs and the tools. So an interrupted run continues, and a later run tries only new mutants. Writes
# out/mutants.json, and out/mutants.log with all mutants that were not found, including those of earlier runs. Ends with
# status 1 if fewer than 95 % are found; it writes the table in any case.

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
