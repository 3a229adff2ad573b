"""Area and clock of a scalar core, by the steps with which `weft synth --pnr` implements a core of Weft for the ECP5.

Yosys maps the core by itself and counts its cells. Then nextpnr places it behind pins: each input bit comes from a register,
each output bit goes into one, as in `fpga/flow/src/pins.rs`.
"""

import json
import os
import statistics

from measuring import processes, tools
from measuring.failure import Failure

SEEDS = (1, 2, 3)
TOP = "scalar"
# LUT sites of each kind of cell: `Family::packed` in fpga/flow/src/family.rs.
FIRST_CARRY = "CCU2C_FIRST"
SITES = {"LUT4": 1, "CCU2C": 2, FIRST_CARRY: 2 + 4, "TRELLIS_DPR16X4": 6}
CELLS = {
    "lut4": ("LUT4",), "ccu2c": ("CCU2C", FIRST_CARRY), "chains": (FIRST_CARRY,), "lutram": ("TRELLIS_DPR16X4",),
    "ff": ("TRELLIS_FF",), "bram": ("DP16KD", "PDPW16KD"), "dsp": ("MULT18X18D",),
}
# Bits of the ports of the module `scalar`, without clock and reset.
INPUTS = {"fetch_ready": 1, "fetch_word": 32, "data_ready": 1, "data_word": 32}
OUTPUTS = {
    "fetch_valid": 1, "fetch_more": 1, "fetch_address": 32, "data_valid": 1, "data_more": 1, "data_early": 1, "data_is_fetch": 1,
    "data_write": 1, "data_address": 32, "data_mask": 4, "data_written": 32,
}
# Maps a module and counts its cells.
COUNT = """\
read_verilog {defines} {files}
setattr -set ram_style "distributed" a:RAM_STYLE=distributed
synth_ecp5 -top {top}
setattr -mod -unset top {top}
write_rtlil mapped.il
splitnets -ports
select -set carries t:CCU2C
select -set following @carries %co1:+[COUT] @carries %d %co1:+CCU2C[CIN] @carries %i
chtype -set CCU2C_FIRST @carries @following %d
tee -q -o cells.json stat -json
"""
SCRIPT = COUNT + """\
design -reset
read_verilog -lib {around}
read_verilog pins.v
synth_ecp5 -top pins
read_rtlil -overwrite mapped.il
hierarchy -top pins
flatten
write_json netlist.json
"""
PLACING = [
    "--85k", "--package", "CABGA381", "--speed", "6", "--freq", "100", "--timing-allow-fail", "--placer", "static",
    "--json", "netlist.json", "--report", "report.json", "-q", "-l", "nextpnr.log",
]


def implement(weft, scalar):
    """The cells of a core, its clock in MHz by each seed and the median, and the versions of the tools."""
    tools.for_synthesis(weft.project.root)
    folder = weft.work / "scalar" / f"{scalar.name}-flow"
    folder.mkdir(parents=True, exist_ok=True)
    files = scalar.files(weft.project)
    for path in files:
        # The tools run in a sandbox, which does not see other folders.
        (folder / path.name).write_bytes(path.read_bytes())
    (folder / "pins.v").write_text(pins(), encoding="utf-8")
    names = [path.name for path in files]
    script = SCRIPT.format(defines=" ".join(scalar.defines), files=" ".join(names), top=TOP, around=names[0])
    (folder / "script.ys").write_text(script, encoding="utf-8")
    processes.run([tools.yosys(), "-q", "-l", "yosys.log", "script.ys"], cwd=folder)
    nextpnr = os.environ.get("WEFT_NEXTPNR", "nextpnr-ecp5")
    mhz = [place(nextpnr, folder, seed) for seed in SEEDS]
    said = {
        "yosys": tools.version(processes.run([tools.yosys(), "--version"]).stdout),
        "nextpnr": tools.version(both(processes.run([nextpnr, "--version"]))),
    }
    counted = counts(json.loads((folder / "cells.json").read_text(encoding="utf-8")))
    return {**counted, "fmax_mhz": mhz, "fmax_mhz_median": statistics.median(mhz)}, said


def place(nextpnr, folder, seed):
    """The clock in MHz by one seed."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    processes.run([nextpnr, *PLACING, "--seed", str(seed)], cwd=folder)
    clocks = json.loads(report.read_text(encoding="utf-8"))["fmax"]
    if len(clocks) != 1:
        raise Failure(f"nextpnr reports {len(clocks)} clocks")
    return round(next(iter(clocks.values()))["achieved"], 2)


def both(ended):
    return ended.stdout + ended.stderr


def counts(report, top=TOP):
    """The cells of a module, and the LUT sites that they need, from the report of `stat -json`."""
    (module,) = (module for name, module in report["modules"].items() if name.lstrip("\\") == top)
    types = module["num_cells_by_type"]
    found = {cell: sum(types.get(kind, 0) for kind in kinds) for cell, kinds in CELLS.items()}
    return {**found, "packed": sum(sites * types.get(kind, 0) for kind, sites in SITES.items())}


def pins():
    """The core behind a shift register into its inputs and one out of its outputs."""
    lines, shifted, connections = [], "serial_in", [".clk(clk)", ".rst(rst)"]
    for name, width in INPUTS.items():
        lines += [f"reg [{width - 1}:0] {name};", f"always @(posedge clk) {name} <= {joined(name, width, shifted)};"]
        shifted = f"{name}[{width - 1}]"
        connections.append(f".{name}({name})")
    for name, width in OUTPUTS.items():
        lines += [
            f"wire [{width - 1}:0] of_{name};", f"reg [{width - 1}:0] {name}, folded_{name};",
            f"always @(posedge clk) {name} <= of_{name};",
            f"always @(posedge clk) folded_{name} <= {name} ^ {joined(f'folded_{name}', width, shifted)};",
        ]
        shifted = f"folded_{name}[{width - 1}]"
        connections.append(f".{name}(of_{name})")
    lines += [f"scalar core ({', '.join(connections)});", f"assign serial_out = {shifted};"]
    return "\n".join(["module pins (input clk, rst, serial_in, output serial_out);", *lines, "endmodule", ""])


def joined(name, width, shifted):
    """A register shifted up by one bit."""
    return shifted if width == 1 else f"{{{name}[{width - 2}:0], {shifted}}}"
