#!/usr/bin/env bash
# Builds the system of two cores with Verilator, runs it, and compares its output with that of `weft run`: each line twice.
#
#   examples/soc/run.sh [DIR]
#
# Writes the core and the simulator to DIR, new or empty (default: out/soc). WEFT names the weft command (default:
# target/release/weft).

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
weft=${WEFT:-$here/../../target/release/weft}
out=${1:-out/soc}
core=(--preset bram-4x4 --set warps=2 --set threads=2 --set trace.port=false)

mkdir -p "$out"
"$weft" kernels build console --out "$out/kernels" >/dev/null
"$weft" emit "${core[@]}" --image "$out/kernels/console.elf" --out "$out/core"
# The simulator runs in the folder of the core, where the contents of memory are.
cd "$out/core"
"${WEFT_VERILATOR:-verilator}" --cc --exe --build -j 2 --x-initial unique -Wno-PINCONNECTEMPTY --top-module soc \
    -f weft_core.f "$here/soc.v" "$here/main.cpp" >build.log
./obj_dir/Vsoc +verilator+rand+reset+2 +verilator+seed+7 | tee printed
"$weft" run ../kernels/console.elf "${core[@]}" --engine model | sed '/exited:/,$d' >expected
diff <(sort printed) <(sort expected expected)
