#!/usr/bin/env bash
# Runs two programs on a core in a LiteX SoC, started by the SoC's processor; LiteX simulates it with Verilator.
#
#   examples/litex/run.sh [DIR]
#
# Writes the core, the programs and the SoC to DIR, new or empty (default: out/litex). WEFT names the weft command
# (default: target/release/weft), WEFT_UNIT the divergence unit (default: sorted-table). Ends with status 1 unless the
# processor finds both results right.

set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
weft=$(realpath "${WEFT:-$root/target/release/weft}")
out=${1:-$root/out/litex}
runtime=$root/testbench/runtime
unit=${WEFT_UNIT-sorted-table}
core=(--preset accelerator --set "divergence.unit=\"$unit\"" --set warps=4 --set threads=4 --set icache.bytes=2048 --set dcache.bytes=2048
    --set memory.ram_bytes=1048576 --set trace.port=false)

"$root/scripts/setup.sh" --litex
mkdir -p "$out"
out=$(cd "$out" && pwd)
"$weft" emit "${core[@]}" --out "$out/core" --force >/dev/null
with_table() { "$weft" image "$1" --config "$out/core/config.toml" --format elf --out "$2" >/dev/null; }
"$weft" kernels build histogram --out "$out/plain" >/dev/null
riscv64-unknown-elf-gcc -misa-spec=2.2 -march=rv32ima -mabi=ilp32 -O2 -ffreestanding -nostdlib -static -I "$runtime" \
    -T "$runtime/link.ld" "$runtime/crt0.S" "$here/../axi/scale.c" -o "$out/plain/scale.elf"
with_table "$out/plain/scale.elf" "$out/scale.elf"
with_table "$out/plain/histogram.elf" "$out/histogram.elf"

echo "LiteX compiles the SoC and simulates it, about a minute; the log is $out/log" >&2
timeout 1800 "$root/.venv/bin/python" "$here/soc.py" "$out" </dev/null >"$out/log" 2>&1 || {
    tail -n 20 "$out/log"
    exit 1
}
# What the processor has printed.
sed -n '/^warps /,$p' "$out/log"
for line in "warps 4, threads 4, unit $unit" "core: sum 000d4a30" "scale: right" "histogram: right"; do
    grep -qxF "$line" "$out/log" || {
        echo "litex: no line \"$line\"" >&2
        exit 1
    }
done
