"""The longest paths of cores that are mapped and not placed: in a minute, where a placement takes twenty."""

import json
import pathlib
import tempfile

from measuring import cores, processes, tools
from measuring.area import REFERENCE, WARPS
from measuring.markdown import table
from measuring.measurement import STANDING, Measurement
from measuring.netlist import ABC, PLACED, Netlist, block
from measuring.table import Table
from measuring.weft import sets

THREADS = 8
TOP = "weft_core"
SCRIPT = (
    f"read_verilog core/{TOP}.v; setattr -set ram_style \"distributed\" a:RAM_STYLE=distributed; synth_ecp5 -top {TOP}; "
    "write_json netlist.json"
)


def measurements(weft):
    for unit in sorted(weft.units(), key=lambda unit: unit != REFERENCE):
        yield measurement(weft, cores.Core("rv32im", WARPS, THREADS, unit))


def measurement(weft, core):
    return Measurement(
        name=f"paths/{core.name}", set=STANDING, estimate=60, command=f"yosys -p '{SCRIPT}'",
        depends=lambda: {"verilog": weft.verilog(core.settings)}, measure=lambda: measure(weft, core),
    )


def measure(weft, core):
    tools.for_synthesis(weft.project.root)
    with tempfile.TemporaryDirectory(dir=weft.work) as folder:
        weft.ask("emit", *sets(core.settings), "--out", f"{folder}/core")
        # Yosys of WebAssembly sees the folder in which it starts.
        processes.run([tools.yosys(), "-q", "-p", SCRIPT], cwd=folder)
        written = json.loads(pathlib.Path(folder, "netlist.json").read_text(encoding="utf-8"))
    netlist, hurried = Netlist(written, TOP), Netlist(written, TOP, ABC).longest(1)
    paths, hurried = [
        [[path.nanoseconds, path.levels, path.start, path.end] for path in found] for found in (netlist.longest(6), hurried)
    ]
    versions = {"yosys": tools.version(processes.run([tools.yosys(), "--version"]).stdout)}
    return {"lut4": netlist.counts()["LUT4"], "paths": paths, "hurried": hurried[0]}, versions


def rows(shown):
    lines = []
    for result in shown.all():
        unit = result.name.split("-", 2)[2] + shown.mark(result.name)
        (first, levels, start, end), (second, _, *others) = result.values["paths"][:2]
        blocks = [" to ".join(map(block, ends)) for ends in ((start, end), others)]
        hurried, *_, end = result.values.get("hurried", [None, ""])
        abc = ["", ""] if hurried is None else [f"{hurried:.1f}", block(end)]
        lines.append([unit, result.values["lut4"], *abc, f"{first:.1f}", levels, blocks[0], f"{second:.1f}", blocks[1]])
    header = ["unit", "LUT4", "ABC: ns", "its end", "ns", "cells", "longest path", "ns", "next pair of blocks"]
    return table(header, lines, left=1)


TABLES = [
    Table("paths", ["paths/*"], rows, f"RV32IM, {WARPS} x {THREADS}, mapped, not placed: {PLACED.wire} ns a wire. No clock frequency, but "
          f"of the same order as placed ones. ABC: the longest path with the times that Yosys gives ABC, {ABC.wire} ns a wire.", partial=True),
]
