#!/usr/bin/env bash
# Runs the drivers of host/ on a core in Icarus, with the bus models of cocotbext-axi as its memory and its master.
#
#   examples/axi/run.sh [DIR]
#
# Writes the core, the programs and the simulator to DIR, new or empty (default: out/axi). WEFT names the weft command
# (default: target/release/weft), WEFT_UNIT the divergence unit, WEFT_KERNELS bundled kernels that run too (default: three
# short ones).

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
weft=$(realpath "${WEFT:-$root/target/release/weft}")
out=${1:-$root/out/axi}
unit=${WEFT_UNIT-sorted-table}
core=(--preset accelerator --set "divergence.unit=\"$unit\"" --set warps=4 --set threads=4 --set icache.bytes=1024 --set dcache.bytes=1024 --set trace.port=false
    --set control.counters=full --set control.paths=true --set scratchpad.bytes=1024)

"$root/scripts/setup.sh" --axi
mkdir -p "$out"
out=$(cd "$out" && pwd)
export WEFT_UNIT=$unit WEFT_KERNELS=${WEFT_KERNELS-short_circuit reduction histogram}
"$weft" emit "${core[@]}" --out "$out/core" --force >/dev/null
with_table() { "$weft" image "$1" --config "$out/core/config.toml" --format elf --out "$2" >/dev/null; }
# shellcheck disable=SC2086
"$weft" kernels build $WEFT_KERNELS --out "$out/plain" >/dev/null
for kernel in $WEFT_KERNELS; do
    with_table "$out/plain/$kernel.elf" "$out/$kernel.elf"
done
for program in scale fault poll; do
    riscv64-unknown-elf-gcc -misa-spec=2.2 -march=rv32ima -mabi=ilp32 -O2 -g -ffreestanding -nostdlib -static -I "$root/testbench/runtime" \
        -T "$root/testbench/runtime/link.ld" "$root/testbench/runtime/crt0.S" "$here/$program.c" -o "$out/plain/$program.elf"
    with_table "$out/plain/$program.elf" "$out/$program.elf"
done
gcc -std=c99 -Wall -Wextra -Werror -O2 -fPIC -shared -I "$out/core" "$root/host/weft.c" -o "$out/weft.so"
gcc -std=c99 -Wall -Wextra -Werror -O2 -I "$out/core" -c "$root/host/weft_linux.c" -o "$out/weft_linux.o"

PYTHONPATH=$here WEFT_OUT=$out WEFT_HOST=$root/host "$root/.venv/bin/python" "$here/simulate.py"
