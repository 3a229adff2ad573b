"""PicoRV32 and VexRiscv for the yardstick: they run the bundled kernels one hart at a time.

- `cores` names them and finds their Verilog, which `scripts/setup.sh --yardstick` installs.
- `programs` compiles the kernels for them; `start.S` is their start.
- `machine` runs the programs; `harness.cpp` is the memory, and `around_*.v` connect the cores to it.
- `flow` measures area and clock.
"""
